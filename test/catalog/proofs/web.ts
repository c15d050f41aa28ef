import type { Proofs } from '../proof.js';

const ROOT = '/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt';

/** Runs a server on loopback that counts the requests it answers: "page 1", "page 2", … */
const counts = (port: number) => `cat >/srv/pages.pl <<'EOF'
use IO::Socket::INET;
my $server = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => shift, Listen => 9, ReuseAddr => 1) or die;
for (my $n = 1; my $client = $server->accept; $n++) {
  while (my $line = <$client>) { last if $line eq "\\r\\n" }
  print $client "HTTP/1.0 200 OK\\r\\nContent-Length: ", length("page $n\\n"), "\\r\\n\\r\\npage $n\\n";
}
EOF
systemctl is-active pages || systemd-run --unit pages perl /srv/pages.pl ${port}`;

export const web: Proofs = {
  caddy: {
    config: {
      sites: [
        { name: 'docs', port: 8081, root: '/srv/docs' },
        { name: 'shop', hosts: ['shop.example.org'], tls: 'internal', proxyTo: ['http://127.0.0.1:9', 'http://127.0.0.1:8081'] },
        {
          name: 'www',
          hosts: ['www.example.org'],
          port: 8082,
          tree: { 'index.html': 'one\n', 'img/dot.png': { base64: 'AAEC' } },
          directives: 'handle /api {\n\trespond "{host}" 203\n}\nheader X-Proof yes\n',
        },
      ],
    },
    // The page is requested over TLS with a valid certificate. One of two upstreams is down.
    works: `install -d /srv/docs; echo hello >/srv/docs/index.html
curl -fsS "http://$(hostname):8081/" | grep -c hello
own=$(getent ahostsv4 "$(hostname)" | awk 'NR == 1 { print $1 }')
for _ in 1 2 3; do
  curl -fsS --cacert ${ROOT} --resolve "shop.example.org:443:$own" https://shop.example.org/ | grep -c hello
done
[ "$(curl -s -o /dev/null -w '%{redirect_url}' -H 'Host: shop.example.org' http://127.0.0.1/)" = https://shop.example.org/ ]
[ "$(stat -c '%a %U' /run/caddy)" = '750 caddy' ]
ask() { curl -sS -H 'Host: www.example.org' "http://127.0.0.1:8082$1"; }
ask / | grep -x one; [ "$(ask /img/dot.png | base64)" = AAEC ]; [ "$(ask /api)" = www.example.org ]
curl -sS -D - -o /dev/null -H 'Host: www.example.org' http://127.0.0.1:8082/ | grep -i '^x-proof: yes'
echo theirs >/srv/caddy/www/theirs`,
    changed: {
      config: {
        port: 8080,
        sites: [
          { name: 'docs', hosts: ['docs.example.org'], root: '/srv/docs' },
          { name: 'www', hosts: ['www.example.org'], tree: { 'index.html': 'two\n' } },
        ],
      },
      works: `curl -fsS -H 'Host: www.example.org' http://127.0.0.1:8080/ | grep -x two
[ ! -e /srv/caddy/www/img ] && [ -e /srv/caddy/www/theirs ]
curl -fsS -H 'Host: docs.example.org' http://127.0.0.1:8080/ | grep -c hello
if curl -fsS http://127.0.0.1:8080/ | grep hello; then exit 1; fi
if curl -sS http://127.0.0.1:80/; then exit 1; fi`,
    },
    units: ['caddy'],
    gone: '[ ! -e /srv/caddy/www/index.html ] && [ -e /srv/caddy/www/theirs ] && [ ! -e /var/lib/provisioning-sites/caddy/written ]',
  },
  'php-fpm': {
    config: { settings: { memory_limit: '96M', display_errors: true } },
    works: `install -d /srv/php; cat >/srv/php/proof.php <<'EOF'
<?php
echo 6 * 7, ' ', ini_get('memory_limit'), ' ', posix_getpwuid(posix_geteuid())['name'], ' ', $_GET['who'], "\\n";
EOF
ask() { QUERY_STRING=who=ann REQUEST_METHOD=GET SCRIPT_FILENAME=/srv/php/proof.php cgi-fcgi -bind -connect "$1"; }
ask /run/php/php-fpm.sock | grep -x '42 96M www-data ann'
[ "$(stat -Lc '%a %U %G' /run/php/php-fpm.sock)" = '660 root www-data' ]`,
    changed: {
      config: { user: 'nobody', children: 2, processes: 'static', extensions: ['mbstring'] },
      works: `cat >/srv/php/changed.php <<'EOF'
<?php echo posix_getpwuid(posix_geteuid())['name'], ' ', mb_strlen('Zürich'), "\\n";
EOF
REQUEST_METHOD=GET SCRIPT_FILENAME=/srv/php/changed.php cgi-fcgi -bind -connect /run/php/php-fpm.sock | grep -x 'nobody 6'
[ "$(pgrep -cf '^php-fpm: pool www')" = 2 ]`,
    },
    units: ['php8.2-fpm', 'php8.4-fpm'],
    gone: '[ -z "$(find /run/php -type s)" ]',
  },
  varnish: {
    config: { upstream: '127.0.0.1:3000' },
    works: `${counts(3000)}
ask() { curl -fsS "http://$(hostname):6081/"; }
first=$(ask); [[ $first == page* ]]; [ "$(ask)" = "$first" ]; [ "$(ask)" = "$first" ]
curl -fsS -X PURGE -H "Host: $(hostname):6081" http://127.0.0.1:6081/
second=$(ask); [[ $second == page* ]]; [ "$second" != "$first" ]; [ "$(ask)" = "$second" ]`,
    changed: {
      config: { port: 8080, upstream: '127.0.0.1:3000', memory: '64 MiB', ttl: '1 s', grace: '1 s' },
      works: `first=$(curl -fsS http://127.0.0.1:8080/); sleep 2.5
[[ $first == page* ]]; [ "$(curl -fsS http://127.0.0.1:8080/)" != "$first" ]
stats=$(varnishstat -1 -f SMA.s0.g_bytes -f SMA.s0.g_space)
[ "$(awk '{ sum += $2 } END { print sum }' <<<"$stats")" = $((64 * 1024 * 1024)) ]`,
    },
    units: ['varnish', 'varnishncsa'],
  },
};
