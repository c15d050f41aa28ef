import type { Proofs } from '../proof.js';

/** Class that prints 42, from `javac --release 17`: without a JDK, the host cannot compile it. */
const JAVA_CLASS = [
  'yv66vgAAAD0AGwoAAgADBwAEDAAFAAYBABBqYXZhL2xhbmcvT2JqZWN0AQAGPGluaXQ+AQADKClWCQAIAAkHAAoMAAsADAEAEGphdmEvbGFuZy',
  '9TeXN0ZW0BAANvdXQBABVMamF2YS9pby9QcmludFN0cmVhbTsKAA4ADwcAEAwAEQASAQATamF2YS9pby9QcmludFN0cmVhbQEAB3ByaW50bG4B',
  'AAQoSSlWBwAUAQABUAEABENvZGUBAA9MaW5lTnVtYmVyVGFibGUBAARtYWluAQAWKFtMamF2YS9sYW5nL1N0cmluZzspVgEAClNvdXJjZUZpbG',
  'UBAAZQLmphdmEAIQATAAIAAAAAAAIAAQAFAAYAAQAVAAAAHQABAAEAAAAFKrcAAbEAAAABABYAAAAGAAEAAAABAAkAFwAYAAEAFQAAACEAAgAB',
  'AAAACbIABxAqtgANsQAAAAEAFgAAAAYAAQAAAAEAAQAZAAAAAgAa',
].join('');

/** Package that pip can install, in an index on this host. */
const INDEX = `install -d /srv/index/simple/proof; cd /srv/index
python3 - <<'EOF'
import zipfile
info = 'proof-1.0.dist-info'
with zipfile.ZipFile('simple/proof/proof-1.0-py3-none-any.whl', 'w') as wheel:
    wheel.writestr('proof.py', 'ANSWER = 42\\n')
    wheel.writestr(info + '/METADATA', 'Metadata-Version: 2.1\\nName: proof\\nVersion: 1.0\\n')
    wheel.writestr(info + '/WHEEL', 'Wheel-Version: 1.0\\nGenerator: proof\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(info + '/RECORD', '')
EOF
systemctl is-active index || systemd-run --unit index --working-directory /srv/index python3 -m http.server --bind 127.0.0.1 8099
until curl -fsS http://127.0.0.1:8099/simple/; do sleep 0.2; done`;

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
  nodejs: {
    config: {},
    works: `node -e '
const server = require("http").createServer((_, answer) => answer.end("42")).listen(0, "127.0.0.1", async () => {
  console.log(await (await fetch("http://127.0.0.1:" + server.address().port)).text());
  process.exit();
});' | grep -x 42`,
    changed: {
      config: { npm: true, registry: 'http://127.0.0.1:8097/' },
      works: `install -d /srv/package /srv/app; cd /srv/package
echo 'module.exports = 42' >index.js; echo '{"name":"proof","version":"1.0.0"}' >package.json; npm pack
cd /srv/app; echo '{}' >package.json; npm install --offline ../package/proof-1.0.0.tgz; node -p 'require("proof")' | grep -x 42
bash -lc 'npm config get registry' | grep -x http://127.0.0.1:8097/`,
    },
    units: [],
    gone: '! command -v node && ! command -v npm',
  },
  python: {
    config: {},
    works: `[ -x /srv/venv/bin/pip ] || python3 -m venv /srv/venv
/srv/venv/bin/python -c 'import json, ssl, sqlite3; print(json.loads("[6, 7]"))' | grep -xF '[6, 7]'`,
    changed: {
      config: { pip: true, index: 'http://127.0.0.1:8099/simple' },
      works: `${INDEX}
/srv/venv/bin/pip install --disable-pip-version-check proof; /srv/venv/bin/python -c 'import proof; print(proof.ANSWER)' | grep -x 42
pip download --disable-pip-version-check -d /srv/downloads proof; ls /srv/downloads/proof-1.0-py3-none-any.whl`,
    },
    units: [],
    gone: 'python3 --version; ! python3 -m venv /srv/another',
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
