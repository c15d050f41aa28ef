import { spawn } from 'node:child_process';
import { inputError, unreachableError } from '../../core/errors.js';
import { quote } from '../../core/host/shell.js';
import { parseAskedScript } from '../ssh/asked-script.js';
import { checkLogin, formatArguments, NO_LENT_FILES } from '../ssh/ssh.js';

/** Existing login of a user. */
export interface OwnLogin {
  address: string;
  user: string;
  /** A private key file. Default: the keys that ssh finds automatically. */
  identity?: string;
}

/** Returns a script that adds the key once, as root, and prints the host's public key. */
const script = (key: string): string => `
set -e
umask 077
mkdir -p /root/.ssh
file=/root/.ssh/authorized_keys
touch "$file"
[ ! -s "$file" ] || [ -z "$(tail -c 1 "$file")" ] || echo >>"$file"
grep -qxF ${quote(key)} "$file" || printf '%s\\n' ${quote(key)} >>"$file"
cut -d ' ' -f 1,2 /etc/ssh/ssh_host_ed25519_key.pub 2>/dev/null || true
`;

const AS_ROOT = 'if [ "$(id -u)" = 0 ]; then exec sh -s; else exec sudo -n sh -s; fi';
const ANSWER_S = 20;
/** Overall time limit in milliseconds. */
const ALL_MS = 50_000;
/** Maximum characters of stored host output. */
const MOST_SAID = 64 * 1024;

/**
 * Logs in to a machine with the user's own key and ssh configuration, and authorizes an infra's key for root there.
 * Nothing else changes.
 *
 * @returns the host's public key (`ssh-ed25519 AAAA…`), if it has one of that type.
 * @throws the input error `import-login` with the message of ssh, or `no-ssh` if ssh is not installed
 */
export async function letIn({ address, user, identity }: OwnLogin, key: string): Promise<string | undefined> {
  checkLogin({ address, user }, 'log in with your own key');
  const options = {
    BatchMode: 'yes',
    StrictHostKeyChecking: 'accept-new',
    ConnectTimeout: String(ANSWER_S),
    ClearAllForwardings: 'yes',
    ...NO_LENT_FILES,
  };
  const args = [
    ...formatArguments(options),
    ...(identity ? ['-i', identity, '-o', 'IdentitiesOnly=yes'] : []),
    '--',
    `${user}@${address}`,
    AS_ROOT,
  ];
  const asked = parseAskedScript(script(key));
  const { code, said, complained: all } = await ran(args, asked.script, address);
  if (code === 0) return /^ssh-ed25519 \S+$/m.exec(asked.answer(said) ?? '')?.[0];
  const complained = asked.answer(all) ?? all;
  const lines = complained.split('\n').flatMap((line) => (/^Warning: Permanently added|^\s*$/.test(line) ? [] : line.trim()));
  throw inputError({
    code: 'import-login',
    what: 'log in with your own key',
    on: `${user}@${address}`,
    why: lines.at(-1) ?? (code === null ? `no answer within ${ALL_MS / 1000} s` : `ssh ended with code ${code}`),
    hint: 'set the user with --login (root, debian, ubuntu, admin, …) and its key with --identity; other users than root need sudo without a password',
  });
}

async function ran(args: string[], input: string, on: string): Promise<{ code: number | null; said: string; complained: string }> {
  // ssh limits the login; this limits the rest.
  const child = spawn('ssh', args, { stdio: 'pipe', timeout: ALL_MS, killSignal: 'SIGKILL' });
  const heard = { said: '', complained: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    heard.said = (heard.said + text).slice(-MOST_SAID);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    heard.complained = (heard.complained + text).slice(-MOST_SAID);
  });
  // An ended process reads nothing.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? 'this machine has no "ssh"' : error.message;
      reject(unreachableError({ code: 'no-ssh', what: 'log in with your own key', on, why, hint: 'install an OpenSSH client' }));
    });
    child.once('close', (code) => resolve({ code, ...heard }));
  });
}
