import type { Proofs } from '../proof.js';

/** A unit of the host itself, which notes how often it was started. */
const COUNTED = `printf '[Service]\\nExecStartPre=+sh -c "echo start >>/run/starts"\\nExecStart=sleep 1d\\n' >/run/systemd/system/proof.service
systemctl daemon-reload; systemctl start proof`;

const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

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
    config: { packages: { jq: 'present', tree: 'present', nano: 'absent' } },
    works: `[ "$(echo '{"a":1}' | jq .a)" = 1 ]
tree --version`,
    changed: {
      config: { packages: { jq: 'absent', hello: { version: '2.10-3' } } },
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
};
