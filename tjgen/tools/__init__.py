"""Ways in and out: reports, import, conversion, new repositories, and tjgen inside Argo CD, kustomize and Helm."""
