import { createHash } from 'node:crypto';
import { executeSteps, undoSteps } from '../../activities/host/journal/execute.js';
import { openSealedFiles } from '../../activities/host/journal/sealed-journal.js';
import type { ArtifactAction } from '../../core/host/artifact.js';
import type { ShellHost } from './shell-host.js';

export const DOWNLOADS = '/var/lib/provisioning/downloads';
const sealer = { seal: (plain: Uint8Array) => plain, open: async (sealed: Uint8Array) => sealed };

let count = 0;

/** Copies an archive to the host and runs the step that unpacks it. `undo` rolls it back. */
export async function deploy(host: ShellHost, archive: Buffer, name: string, former?: ArtifactAction) {
  const sha256 = createHash('sha256').update(archive).digest('hex');
  const artifact: ArtifactAction = former ?? {
    state: 'present',
    url: `the build ${name}`,
    sha256,
    from: { kept: [] },
    to: `/opt/app-shop/${name}`,
    unpack: 'tar',
  };
  const text = archive.toString('base64').replace(/(.{76})/g, '$1\n');
  await host.shell(`install -d -m 0700 ${DOWNLOADS}; base64 -d >${DOWNLOADS}/${sha256} <<'END'\n${text}\nEND`);
  return putThere(host, artifact);
}

/** Runs the step that unpacks a copied archive. `undo` rolls it back. */
export async function putThere(host: ShellHost, artifact: ArtifactAction) {
  count += 1;
  const steps = [{ title: 'Deploy', artifact }];
  const job = {
    scope: { workspace: 'w', infra: 'shop', uuid: 'u' },
    server: 'web-1',
    operation: `op-${count}`,
    taskserv: 'app',
    generation: 1,
    sealer,
  };
  let said = '';
  const ended = await executeSteps(host.transport, { ...job, owner: 'u w shop', steps, reveal: String }, (event) => {
    if (event.event === 'output') said += `${event.text}\n`;
  });
  const undo = async () =>
    undoSteps(host.transport, { ...job, steps, opened: await openSealedFiles(host.transport, job, sealer) }, () => {});
  return { artifact, how: ended.how, said, undo };
}

/** Lists all files on the host, with kind, mode and owner, except the kernel's folders and the journal. */
export const everything = (host: ShellHost) =>
  host.shell(
    "find / -xdev \\( -path /proc -o -path /sys -o -path /dev -o -path /var/lib/provisioning/operations \\) -prune -o -printf '%y %m %u %s %p -> %l\\n' | grep -v ' /\\(tmp\\|var/lib/provisioning\\)\\( \\|/lock\\|$\\)' | LC_ALL=C sort",
  );
