import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheOf } from '../../../home/home.js';
import { quote } from '../../../sdk/index.js';
import { bridgeAddress } from '../../support/bridge-address.js';
import { serveFor } from '../mirror.js';
import { type GroupService, type MemberShell, makeCertificates, runPython } from './group-service.js';

const MEMBERS = ['a', 'b', 'c'];
const VERSION = '1.21.3';

/** Token of the platform. A person makes it with the policy of taskservs/vault/README.md. */
const TOKEN = 'token-of-the-platform-in-the-catalog';
/** Token of the client. */
const CLIENT_TOKEN = 'token-of-the-client-in-the-catalog';

const POLICY = `path "sys/storage/raft/configuration" { capabilities = ["read"] }
path "sys/storage/raft/remove-peer" { capabilities = ["update"] }
path "sys/storage/raft/autopilot/state" { capabilities = ["read"] }
path "sys/storage/raft/autopilot/configuration" { capabilities = ["read", "update"] }
path "sys/step-down" { capabilities = ["update", "sudo"] }
`;

/** Asks the member of this host, by its name. */
const ASK = `
import http.client, json, socket, ssl, sys
me = socket.gethostname()
context = ssl.create_default_context(cafile='/etc/vault.d/provisioning-authority.pem')
def ask(method, path, body=None, token=''):
    one = http.client.HTTPSConnection(me, 8200, context=context, timeout=8)
    one.request(method, '/v1/' + path, None if body is None else json.dumps(body), {'X-Vault-Token': token})
    answer = one.getresponse()
    content = answer.read().decode()
    if answer.status >= 300: sys.exit('%d %s' % (answer.status, content))
    return json.loads(content or '{}')
`;

const STATE = `${ASK}
now = ask('GET', 'sys/seal-status')
print('new' if not now['initialized'] else 'sealed' if now['sealed'] else 'unsealed')`;

/** What a person does once, on one member: makes the keys, and the tokens. Prints the keys. */
const INITIALIZE = `${ASK}
import time
made = ask('PUT', 'sys/init', {'secret_shares': 3, 'secret_threshold': 2})
root = made['root_token']
for key in made['keys_base64'][:2]: ask('PUT', 'sys/unseal', {'key': key})
for _ in range(30):
    if ask('GET', 'sys/leader').get('is_self'): break
    time.sleep(1)
ask('POST', 'sys/mounts/shop', {'type': 'kv'}, root)
policies = {'provisioning': ${JSON.stringify(POLICY)}, 'shop': 'path "shop/*" { capabilities = ["create", "read", "update"] }'}
for name, policy in policies.items(): ask('PUT', 'sys/policies/acl/' + name, {'policy': policy}, root)
for name, token in {'provisioning': '${TOKEN}', 'shop': '${CLIENT_TOKEN}'}.items():
    ask('POST', 'auth/token/create', {'id': token, 'policies': [name], 'no_parent': True, 'no_default_policy': True, 'period': '24h'}, root)
print(' '.join(made['keys_base64']))`;

const UNSEAL = `${ASK}
for key in sys.argv[1:]: ask('PUT', 'sys/unseal', {'key': key})`;

/** A person who keeps the keys: initializes the cluster once all members are there, and unseals each that is sealed. */
function createPerson(): (shell: MemberShell) => Promise<void> {
  let keys: string[] = [];
  const wait = (program: string, ...args: string[]) => `timeout 60 python3 -c ${quote(program)} ${args.map(quote).join(' ')}`;
  return async (shell) => {
    const states = await Promise.all(
      MEMBERS.map((member) =>
        shell(member, wait(STATE)).then(
          (said) => said.trim(),
          () => 'down',
        ),
      ),
    );
    if (keys.length === 0 && states.every((state) => state === 'new'))
      keys = (await shell('a', wait(INITIALIZE))).trim().split(' ');
    if (keys.length === 0) return;
    for (const [index, member] of MEMBERS.entries())
      if (states[index] === 'sealed') await shell(member, wait(UNSEAL, ...keys.slice(1))).catch(() => {});
  };
}

/** A package like HashiCorp's, with Vault built from its own modules. */
async function serveStandIn() {
  const binary = join(cacheOf(), `vault-raft-${VERSION}`);
  if (!existsSync(binary)) throw new Error(`there is no ${binary}: sh test/support/vault/build-raft.sh`);
  const vault = {
    name: 'vault',
    version: `${VERSION}-1`,
    files: {
      'usr/bin/vault': { content: await readFile(binary), executable: true as const },
      'lib/systemd/system/vault.service': {
        content: `[Unit]
Description=stand-in for vault
ConditionFileNotEmpty=/etc/vault.d/vault.hcl
[Service]
User=vault
Group=vault
ExecStart=/usr/bin/vault server -config=/etc/vault.d/vault.hcl
ExecReload=/bin/kill --signal HUP $MAINPID
KillSignal=SIGINT
Restart=on-failure
RestartSec=5
[Install]
WantedBy=multi-user.target
`,
      },
    },
    postinst: `getent passwd vault >/dev/null || useradd --system --home-dir /etc/vault.d --shell /bin/false vault
install -d -o vault -g vault /etc/vault.d /opt/vault /opt/vault/data
systemctl daemon-reload`,
  };
  const repository = { uri: 'https://apt.releases.hashicorp.com', suite: 'bookworm', component: 'main', packages: [vault] };
  const proof = { config: {}, works: '', changed: { config: {}, works: '' }, units: [], standIn: { repository } };
  return serveFor(proof, await bridgeAddress());
}

export const vault: GroupService = {
  name: 'vault',
  unit: 'vault',
  version: '1.21',
  standIn: `storage, seal, HTTP API and raft of Vault ${VERSION}, built from its modules; the command line and the package are ours`,
  serve: serveStandIn,
  attend: createPerson,
  config: { cluster: 'main', tls: makeCertificates('vault', MEMBERS), token: { secret: 'vault-token' } },
  secrets: { 'vault-token': TOKEN },
  change: { ui: true },
  changed: { shown: 'grep ^ui /etc/vault.d/vault.hcl', is: 'ui = true' },
  // The leader answers once a majority has it.
  write: (key, value) =>
    runPython(`${ASK}ask('PUT', 'shop/' + sys.argv[1], {'value': sys.argv[2]}, '${CLIENT_TOKEN}')`, key, value),
  read: (keys) =>
    runPython(
      `${ASK}
for key in sys.argv[1:]: print(key + '=' + ask('GET', 'shop/' + key, token='${CLIENT_TOKEN}')['data']['value'])`,
      ...keys,
    ),
};
