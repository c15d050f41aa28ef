import type { Proofs } from '../proof.js';

/** Debian's archives, whose files a Python web server serves: any archive can be an application. */
const POOL = 'http://deb.debian.org/debian/pool/main';
const HELLO = {
  url: `${POOL}/h/hello/hello_2.10.orig.tar.gz`,
  sha256: '31e066137a962676e89f69d1b65382de95a7ef7d914b8cb956f41ea72e0f516b',
  strip: 1,
};
const SL = {
  url: `${POOL}/s/sl/sl_5.02.orig.tar.gz`,
  sha256: '1e5996757f879c81f202a18ad8e982195cf51c41727d3fea4af01fdcbbb5563a',
  strip: 1,
};

const shop = (release: string, artifact: typeof HELLO, env: Record<string, unknown>) => ({
  name: 'shop',
  release,
  artifact,
  packages: ['python3'],
  processes: { web: { command: 'python3 -m http.server "$PORT" --bind "$HOST"' } },
  port: 8080,
  env,
});

export const applications: Proofs = {
  app: {
    config: shop('2.10', HELLO, { TOKEN: { generate: 'token' } }),
    works: `curl -fsS "http://$(hostname):8080/README" | grep -c 'GNU Hello'
[ "$(stat -c '%U %a' /opt/app-shop/2.10)" = 'root 755' ]; [ "$(stat -c %a /etc/app-shop.env)" = 600 ]
pid=$(systemctl show -P MainPID app-shop-web); [ "$(ps -o user:20= -p "$pid" | tr -d ' ')" = app-shop ]
tr '\\0' '\\n' <"/proc/$pid/environ" | grep -cE '^TOKEN=.{20}'`,
    changed: {
      config: shop('5.02', SL, { GREETING: 'say "hi", 100%' }),
      works: `curl -fsS "http://$(hostname):8080/sl.h" | grep -c SL
if curl -fsS "http://$(hostname):8080/ABOUT-NLS"; then exit 1; fi; [ -d /opt/app-shop/2.10 ]
pid=$(systemctl show -P MainPID app-shop-web); tr '\\0' '\\n' <"/proc/$pid/environ" | grep -cx 'GREETING=say "hi", 100%'`,
    },
    units: ['app-shop-web'],
    gone: '[ ! -e /opt/app-shop ]; [ ! -e /etc/app-shop.env ]',
  },
};
