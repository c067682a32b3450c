# Makes the folder TARGET, which a program that is not ours then fills. marks.sh goes before.
begin
