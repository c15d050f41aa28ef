import type { ServerChannel } from 'ssh2';
import { type SshHost, startSshHost } from '../support/ssh-host.js';

/** Callbacks of a host at these moments. */
export interface Moments {
  onAct?(): void;
  onUndo?(): void;
}

/**
 * Starts a host that speaks SSH, accepts every script and answers like an empty Debian. It runs nothing, so its first
 * step fails. It serves moments at which a real host does not wait.
 */
export const startScriptedHost = (moments: Moments): Promise<SshHost> =>
  startSshHost({
    exec(channel) {
      let script = '';
      channel.on('data', (chunk: Buffer) => {
        script += chunk;
      });
      channel.once('end', () => answer(channel, script, moments));
    },
  });

function answer(channel: ServerChannel, script: string, { onAct, onUndo }: Moments): void {
  const journal = /^J='?([^'\n]+)'?$/m.exec(script)?.[1];
  const isUndo = /^\[ -e \S+\/files\/undo \]/m.test(script);
  if (isUndo && onUndo) onUndo();
  else if (!isUndo && journal && script.includes('setsid bash') && onAct) onAct();
  else {
    const mark = /printf %s%s (\S+) (\S+);/.exec(script)?.slice(1).join('');
    channel.write(`${mark}${isUndo ? '' : textOf(script, journal)}${mark}`);
    channel.exit(0);
    channel.end();
  }
}

/** Returns the number of files that a look reads. The arguments of its Perl are an index and a path for each. */
const filesAskedBy = (script: string) =>
  [...script.matchAll(/^print "D \$count\\n";'(.*)$/gm)].flatMap(([, files = '']) => files.match(/ \d+ '?\//g) ?? []).length;

function textOf(script: string, journal: string | undefined): string {
  if (script.includes('mktemp -d /run/provisioning')) return `O debian amd64 2 2048 9000\nM 0\n\nD ${filesAskedBy(script)}\nE\n`;
  const mark = /echo '([^']+)' >owner/.exec(script)?.[1];
  if (mark) return `${mark}\n`;
  const nonce = /%s stream %s\\n' (@[0-9a-f]+) /.exec(script)?.[1];
  return journal && nonce
    ? `\n${nonce} stream ${nonce}\n\n${nonce} start 0\nno such thing\n\n${nonce} failed 0 1\n\n${nonce} end failed\n`
    : '';
}
