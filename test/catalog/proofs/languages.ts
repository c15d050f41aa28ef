import type { Proofs } from '../proof.js';

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
