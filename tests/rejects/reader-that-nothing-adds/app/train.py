from tjgen_data import items

print(list(items()))
