import { inputError } from '../../../core/errors.js';
import { quote } from '../../../core/host/shell.js';
import { type KeyOwner, type KeyStore, nextKeyName } from '../../../stores/keys.js';
import { SHORT_MS } from '../time-limits.js';
import type { Target, Transport, Transports } from '../transport.js';

const KEY = '/etc/ssh/ssh_host_ed25519_key';

/** Tenths of a second in which the SSH server of the host must show its new key. */
const RELOAD_TENTHS = 150;

/**
 * Replaces the host key in the user data of a new machine, which the cloud keeps and every process on the machine can
 * read. The new pair is made on the host, and only its public half leaves it. Can be repeated after an interruption at
 * any moment: both keys count (`nextKeyName`) from before the new one is installed until the host shows it. Does
 * nothing if it was done, or on hosts without user data.
 *
 * @throws the input error `host-key-not-replaced` if the host still shows the former key, which then still counts
 */
export async function replaceHostKey(contact: {
  keys: KeyStore;
  transports: Transports;
  target: Target;
  beat(what: string): void;
  signal?: AbortSignal;
}): Promise<void> {
  const { keys, transports, target, beat, signal } = contact;
  const next = nextKeyName(target.server);
  const pinned = await keys.pinned(target, target.server);
  if (pinned === undefined || plain(pinned) === plain((await keys.pinned(target, next)) ?? '')) return;
  const transport = await transports.open(target);
  beat('Replace its host key');
  const made = await run(transport, target, makeScript(plain(pinned)), signal);
  if (made === 'none') return;
  if (!/^ssh-ed25519 [A-Za-z0-9+/]+={0,2}$/.test(made)) throw notReplaced(target, 'it made no key of its own');
  await keys.pin(target, next, made);
  await run(transport, target, installScript(made, target.connection.port), signal);
  await keys.pin(target, target.server, made);
  // Proof that the next connection gets in; a former key is refused from here on.
  (await transports.open(target, { fresh: true })).close();
}

/** Whether a server's key was replaced by one that only the server has. */
export async function isKeyReplaced(keys: KeyStore, owner: KeyOwner, server: string): Promise<boolean> {
  const next = await keys.pinned(owner, nextKeyName(server));
  return next !== undefined && plain(next) === plain((await keys.pinned(owner, server)) ?? '');
}

/** Without what follows the key. */
const plain = (key: string) => key.split(' ').slice(0, 2).join(' ');

const notReplaced = ({ server }: Target, why: string) =>
  inputError({
    code: 'host-key-not-replaced',
    what: 'replace the host key',
    on: server,
    why,
    hint: `sshd there must use ${KEY}; ssh-keygen and ssh-keyscan must be installed`,
  });

async function run(transport: Transport, target: Target, script: string, signal?: AbortSignal): Promise<string> {
  const { exit, stdout, stderr } = await transport.exec(script, { signal, limitMs: SHORT_MS });
  if (exit !== 0) throw notReplaced(target, stderr.trim().split('\n').at(-1)?.slice(-300) || `a script ended with code ${exit}`);
  return stdout.trim();
}

/** Prints the public half of a new pair beside the former one, or of the one that took its place already. */
const makeScript = (former: string) => `set -eu; umask 077
command -v cloud-init >/dev/null 2>&1 || { echo none; exit 0; }
now=$(ssh-keygen -y -f ${KEY} | cut -d' ' -f1,2)
[ "$now" = ${quote(former)} ] || { echo "$now"; exit 0; }
if ! [ -s ${KEY}.next ] || ! [ -s ${KEY}.next.pub ]; then
  rm -f ${KEY}.next ${KEY}.next.pub
  ssh-keygen -q -t ed25519 -N '' -C '' -f ${KEY}.next
  sync
fi
cut -d' ' -f1,2 ${KEY}.next.pub
`;

/** Installs the new pair, and waits until the SSH server shows it. */
const installScript = (made: string, port: number) => `set -eu
[ ! -e ${KEY}.next ] || mv -f ${KEY}.next ${KEY}
[ ! -e ${KEY}.next.pub ] || mv -f ${KEY}.next.pub ${KEY}.pub
chmod 644 ${KEY}.pub; sync
systemctl reload ssh 2>/dev/null || systemctl reload sshd
n=0
until ssh-keyscan -T 2 -t ed25519 -p ${port} 127.0.0.1 2>/dev/null | cut -d' ' -f2,3 | grep -Fxq ${quote(made)}; do
  n=$((n + 1))
  [ $n -lt ${RELOAD_TENTHS} ] || { echo 'the SSH server does not show the new key' >&2; exit 1; }
  sleep 0.1
done
`;
