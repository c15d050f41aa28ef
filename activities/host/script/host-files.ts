import { ARTIFACT_PART, type ArtifactAction } from '../../../core/host/artifact.js';
import { MARK_OF } from '../../../core/host/artifact-marks.js';
import { sh } from '../../../core/host/shell.js';
import type { HostFiles } from '../host.js';
import { DOWNLOADS } from '../journal/artifact-scripts.js';
import { SHORT_MS } from '../time-limits.js';
import type { ScriptedHost } from './scripted-host.js';

const comingOf = ({ sha256 }: ArtifactAction): string => `${DOWNLOADS}/${sha256}`;

/**
 * Files of a host that runs scripts. Incoming files are in a folder that only root can enter, and no link is followed.
 */
export function hostFiles(host: ScriptedHost): HostFiles {
  async function ask(script: string): Promise<string> {
    const transport = await host.open();
    const { exit, stdout, stderr } = await transport.exec(`set -euo pipefail\n${script}`, { limitMs: SHORT_MS });
    if (exit !== 0) throw new Error(`a file of ${host.server} cannot be copied: ${stderr.trim() || `exit code ${exit}`}`);
    return stdout.trim();
  }
  return {
    async come(artifact) {
      const part = comingOf(artifact);
      const said = await ask(`${MARK_OF}
${sh`umask 077; mkdir -p ${DOWNLOADS}
if mark=$(mark_of ${artifact.to}) && [ "$(head -n 1 -- "$mark")" = ${artifact.sha256} ]; then echo there
elif [ -f ${part} ]; then stat -c %s -- ${part}; else echo 0; fi`}`);
      return said === 'there' ? undefined : Math.floor(Number(said) / ARTIFACT_PART);
    },
    async append(artifact, part, bytes) {
      const to = comingOf(artifact);
      const place = sh`umask 077; truncate -s ${part * ARTIFACT_PART} -- ${to}; base64 -d >>${to}`;
      await ask(`${place} <<'END_OF_PART'\n${bytes.toString('base64')}\nEND_OF_PART`);
    },
    async expect(artifact, sha256) {
      await ask(sh`umask 077; echo ${sha256} >${comingOf(artifact)}.sha256`);
    },
    async drop(artifact) {
      await ask(sh`rm -f -- ${comingOf(artifact)} ${`${comingOf(artifact)}.sha256`}`);
    },
    async describe(path) {
      const [sha256 = '', size] = (await ask(sh`cat ${path}.sha256; stat -c %s -- ${path}`)).split('\n');
      return { sha256: sha256.trim(), size: Number(size) };
    },
    async read(path, part) {
      const script = sh`dd if=${path} iflag=nofollow bs=${ARTIFACT_PART} skip=${part} count=1 status=none | base64 -w 0`;
      const text = await ask(script);
      return Buffer.from(text, 'base64');
    },
  };
}
