import type { Proofs } from '../proof.js';

/** A class that prints 42, as `javac --release 17` makes it: without a JDK nothing on the host compiles one. */
const JAVA_CLASS = [
  'yv66vgAAAD0AGwoAAgADBwAEDAAFAAYBABBqYXZhL2xhbmcvT2JqZWN0AQAGPGluaXQ+AQADKClWCQAIAAkHAAoMAAsADAEAEGphdmEvbGFuZy',
  '9TeXN0ZW0BAANvdXQBABVMamF2YS9pby9QcmludFN0cmVhbTsKAA4ADwcAEAwAEQASAQATamF2YS9pby9QcmludFN0cmVhbQEAB3ByaW50bG4B',
  'AAQoSSlWBwAUAQABUAEABENvZGUBAA9MaW5lTnVtYmVyVGFibGUBAARtYWluAQAWKFtMamF2YS9sYW5nL1N0cmluZzspVgEAClNvdXJjZUZpbG',
  'UBAAZQLmphdmEAIQATAAIAAAAAAAIAAQAFAAYAAQAVAAAAHQABAAEAAAAFKrcAAbEAAAABABYAAAAGAAEAAAABAAkAFwAYAAEAFQAAACEAAgAB',
  'AAAACbIABxAqtgANsQAAAAEAFgAAAAYAAQAAAAEAAQAZAAAAAgAa',
].join('');

export const languages: Proofs = {
  go: {
    config: {},
    works: `install -d /srv/go; cd /srv/go; export HOME=/srv/go
cat >p.go <<'EOF'
package main

import ("fmt"; "net/http"; "net/http/httptest")

func main() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, 42) }))
	answer, err := http.Get(server.URL)
	fmt.Println(answer.ContentLength, err)
}
EOF
[ -e go.mod ] || go mod init example.org/p; go build -o p .; ./p | grep -x '2 <nil>'`,
    changed: {
      config: { cgo: true, proxy: 'http://127.0.0.1:8098' },
      works: `install -d /srv/cgo; cd /srv/cgo; export HOME=/srv/cgo
cat >p.go <<'EOF'
package main

// #include <stdlib.h>
import "C"

func main() { print(C.abs(-42)) }
EOF
go run p.go 2>&1 | grep -x 42; bash -lc 'go env GOPROXY' | grep -x 'http://127.0.0.1:8098,direct'`,
    },
    units: [],
    gone: '! command -v go',
  },
  java: {
    config: {},
    works: `install -d /srv/java; base64 -d >/srv/java/P.class <<<'${JAVA_CLASS}'; java -cp /srv/java P | grep -x 42`,
    changed: {
      config: { jdk: true },
      works: `install -d /srv/jdk; cd /srv/jdk
echo 'public class Q { public static void main(String[] a) { System.out.println(java.util.List.of(6, 7)); } }' >Q.java
javac Q.java; jar -cfe q.jar Q Q.class; java -jar q.jar | grep -xF '[6, 7]'`,
    },
    units: [],
    gone: '! command -v java && ! command -v javac',
  },
  rust: {
    config: {},
    works: `install -d /srv/rust/src; cd /srv/rust; export HOME=/srv/rust
printf '[package]\\nname = "proof"\\nversion = "1.0.0"\\nedition = "2021"\\n' >Cargo.toml
cat >src/main.rs <<'EOF'
fn main() {
    println!("{}", [6, 7].iter().product::<i32>());
}

#[test]
fn counts() {
    assert_eq!(6 * 7, 42);
}
EOF
cargo run -q --offline | grep -x 42; cargo test -q --offline`,
    changed: {
      config: { clippy: true },
      works: `cd /srv/rust; export HOME=/srv/rust; cargo clippy -q --offline
echo 'fn wrong(a: i32) -> bool { a == a }' >>src/main.rs; found=$(cargo clippy -q --offline 2>&1 || true)
sed -i /wrong/d src/main.rs; grep -F clippy::eq_op <<<"$found"`,
    },
    units: [],
    gone: '! command -v rustc && ! command -v cargo',
  },
};
