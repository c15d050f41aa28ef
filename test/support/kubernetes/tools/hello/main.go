// Command hello is the application of tests in pods. `hello` serves the name of its host on port 8080. `hello get URL...` prints
// what an address answers. `hello resolve NAME...` prints the addresses of a name.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

const patience = 10 * time.Second

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		log.Fatal(serve())
	}
	ask := map[string]func(context.Context, string) (string, error){"get": get, "resolve": resolve}[os.Args[1]]
	if ask == nil {
		log.Fatalf("hello: there is no command %s", os.Args[1])
	}
	limited, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, about := range os.Args[2:] {
		answer, err := ask(limited, about)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(strings.TrimSuffix(answer, "\n"))
	}
}

func serve() error {
	name, err := os.Hostname()
	if err != nil {
		return err
	}
	return http.ListenAndServe(":8080", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s saw %s\n", name, r.RemoteAddr)
	}))
}

func get(limited context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(limited, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, answer.Status)
	}
	return string(body), err
}

func resolve(limited context.Context, name string) (string, error) {
	addresses, err := net.DefaultResolver.LookupHost(limited, name)
	return strings.Join(addresses, " "), err
}
