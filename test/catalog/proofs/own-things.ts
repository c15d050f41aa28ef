import type { Proofs } from '../proof.js';

/** Unit of the host itself, which records how often it was started. */
const COUNTED = `printf '[Service]\\nExecStartPre=+sh -c "echo start >>/run/starts"\\nExecStart=sleep 1d\\n' >/run/systemd/system/proof.service
systemctl daemon-reload; systemctl start proof`;

const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

/**
 * Images with a single static program, in a registry that runs on the host during the proof. The runtime does without
 * features that a container as a host forbids.
 */
const IMAGES = `cd /root; apt-get download -q busybox-static docker-registry
dpkg -x busybox-static_*.deb busybox; dpkg -x docker-registry_*.deb registry
[ -e busybox/bin ] || mv busybox/usr/bin busybox/bin
cat >/usr/local/bin/runc-inside <<'END'
#!/bin/bash
for arg; do args+=("$arg"); case $arg in create|run) args+=(--no-new-keyring --no-pivot);; esac; done
exec runc "\${args[@]}"
END
chmod 755 /usr/local/bin/runc-inside
echo '{"version":"0.1","storage":{"inmemory":{}},"http":{"addr":"127.0.0.1:5999"}}' >registry.yml
systemd-run -q --unit proof-registry /root/registry/usr/bin/docker-registry serve /root/registry.yml
for _ in $(seq 50); do curl -s http://127.0.0.1:5999/v2/ && break; sleep 0.2; done
for tag in 1 2; do
  echo "release $tag" >busybox/release
  tar -C busybox -c bin release | podman import - 127.0.0.1:5999/proof/web:$tag
  podman push -q --tls-verify=false 127.0.0.1:5999/proof/web:$tag; podman rmi 127.0.0.1:5999/proof/web:$tag
done`;

const web = (tag: number, env: Record<string, unknown>) => ({
  image: `127.0.0.1:5999/proof/web:${tag}`,
  command: ['/bin/busybox', 'sh', '-c', 'env >/data/env; cp /release /data/; exec /bin/busybox httpd -f -p 8080 -h /data'],
  ports: [{ host: 8080, container: 8080 }],
  volumes: [{ from: '/srv/web', to: '/data' }],
  env,
  health: { port: 8080, path: '/release' },
});
const OPTIONS = ['--network=host', '--cgroups=enabled', '--runtime=/usr/local/bin/runc-inside'];

export const ownThings: Proofs = {
  files: {
    config: {
      files: {
        issue: { path: '/etc/issue.net', content: 'mine\n', validate: 'grep -qx mine "$FILE"' },
        token: {
          path: '/etc/proof/token.conf',
          content: 'token = @TOKEN@\n',
          values: { TOKEN: { generate: 'token' } },
          mode: '0600',
          owner: 'root:www-data',
        },
        site: {
          path: '/srv/proof',
          tree: {
            'index.html': '<p>one</p>\n',
            'img/dot.png': { base64: DOT },
            'bin/go': { text: '#!/bin/sh\necho gone\n', executable: true },
          },
        },
      },
    },
    works: `grep -x mine /etc/issue.net
[ "$(stat -c '%a %U:%G' /etc/proof/token.conf)" = '600 root:www-data' ]
grep -qE '^token = .{20}' /etc/proof/token.conf
[ "$(base64 -w0 /srv/proof/img/dot.png)" = ${DOT} ]
[ "$(/srv/proof/bin/go)" = gone ]
${COUNTED}`,
    changed: {
      config: {
        files: {
          site: { path: '/srv/proof', tree: { 'index.html': '<p>two</p>\n' }, restarts: ['proof'], owner: 'www-data:www-data' },
        },
      },
      works: `grep -x '<p>two</p>' /srv/proof/index.html
[ "$(stat -c %U /srv/proof/index.html)" = www-data ]
[ ! -e /srv/proof/img ] && [ ! -e /srv/proof/bin ] && [ ! -e /etc/proof/token.conf ]
[ -e /etc/issue.net ] && [ -z "$(grep -x mine /etc/issue.net)" ]
[ "$(wc -l </run/starts)" = 2 ]`,
    },
    units: [],
    gone: '[ ! -e /srv/proof ] && [ -e /etc/issue.net ] && [ ! -e /var/lib/provisioning-files/written ]',
  },
  packages: {
    release: `apt-get -q update >/dev/null; apt-cache show --no-all-versions hello | sed -n 's/^Version: //p'`,
    config: { packages: { jq: 'present', tree: 'present', nano: 'absent' } },
    works: `[ "$(echo '{"a":1}' | jq .a)" = 1 ]
tree --version`,
    changed: {
      config: { packages: { jq: 'absent', hello: { version: 'RELEASE' } } },
      works: `hello | grep -x 'Hello, world!'
apt-cache policy hello | grep -c '1001'
[ -z "$(command -v jq)" ] && [ -z "$(command -v tree)" ]`,
    },
    units: [],
    gone: '[ -z "$(command -v hello)" ] && [ ! -e /etc/apt/preferences.d/90-provisioning-packages ]',
  },
  commands: {
    config: {
      commands: {
        folder: { run: 'mkdir /srv/made', check: 'test -d /srv/made', undo: 'rmdir /srv/made' },
        once: {
          run: 'echo "$(id -un) $(pwd) $WORD" >>/tmp/once',
          user: 'nobody',
          directory: '/usr',
          env: { WORD: 'one two' },
        },
      },
    },
    works: `[ -d /srv/made ]
[ "$(cat /tmp/once)" = 'nobody /usr one two' ]`,
    changed: {
      config: {
        commands: {
          once: {
            run: 'echo "$(id -un) $(pwd) $WORD" >>/tmp/once; [ ${#TOKEN} -ge 20 ]',
            user: 'nobody',
            env: { WORD: 'two', TOKEN: { generate: 'token' } },
          },
        },
      },
      works: `[ -d /srv/made ]
[ "$(tail -n 1 /tmp/once)" = 'nobody / two' ] && [ "$(wc -l </tmp/once)" = 2 ]`,
    },
    units: [],
    gone: '[ -z "$(ls -A /var/lib/provisioning-commands)" ]',
  },
  containers: {
    with: [{ name: 'podman', config: { runtime: 'runc', storageDriver: 'vfs', insecureRegistries: ['127.0.0.1:5999'] } }],
    prepare: IMAGES,
    config: { options: OPTIONS, containers: { web: web(1, { TOKEN: { generate: 'token' }, GREETING: 'say "hi" 100% $HOME' }) } },
    works: `curl -fsS http://127.0.0.1:8080/release | grep -x 'release 1'
grep -x 'GREETING=say "hi" 100% $HOME' /srv/web/env; grep -cE '^TOKEN=.{20}' /srv/web/env
[ "$(stat -c %a /etc/provisioning-containers/web.env)" = 600 ]
[ "$(ps ax -o args= | grep -c "$(sed -n 's/^TOKEN=//p' /srv/web/env)[ ]")" = 0 ]`,
    changed: {
      config: { options: OPTIONS, containers: { web: web(2, {}) } },
      works: `curl -fsS http://127.0.0.1:8080/release | grep -x 'release 2'
kill -9 "$(systemctl show -P MainPID container-web)"; sleep 5
curl -fsS http://127.0.0.1:8080/release | grep -x 'release 2'`,
    },
    units: ['container-web'],
    gone: '[ ! -e /etc/systemd/system/container-web.service ] && [ -e /srv/web/release ] && [ -z "$(podman ps -aq)" ]',
  },
};
