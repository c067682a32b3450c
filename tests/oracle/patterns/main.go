// Command patterns reads {"pattern", "texts"} a line and writes what Go's regexp, which the API server uses, makes of them:
// {"error"} or {"found"}, the places of all matches in each text, as positions of characters.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"unicode/utf8"
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var given struct {
			Pattern string   `json:"pattern"`
			Texts   []string `json:"texts"`
		}
		if err := json.Unmarshal(in.Bytes(), &given); err != nil {
			panic(err)
		}
		pattern, err := regexp.Compile(given.Pattern)
		if err != nil {
			out.Encode(map[string]any{"error": err.Error()})
			continue
		}
		found := [][][2]int{}
		for _, text := range given.Texts {
			places := [][2]int{}
			for _, match := range pattern.FindAllStringIndex(text, -1) {
				places = append(places, [2]int{utf8.RuneCountInString(text[:match[0]]), utf8.RuneCountInString(text[:match[1]])})
			}
			found = append(found, places)
		}
		out.Encode(map[string]any{"found": found})
	}
}
