import { inputError, messageOf, unreachableError } from '../../../core/errors.js';
import { quote } from '../../../core/host/shell.js';
import { journalOf } from '../paths.js';
import type { Transport } from '../transport.js';
import { hostFault, SAYS_WHY_UNWRITABLE } from './host-fault.js';
import { encode } from './runner.js';

/** Seals bytes so that only workers of this set-up can read them, and only in the same context. */
export interface Sealer {
  seal(plain: Uint8Array, context: string): Uint8Array;
  /** Throws where the bytes were altered, belong to another context, or their key is gone. */
  open(sealed: Uint8Array, context: string): Promise<Uint8Array>;
}

/** Journal of one piece of work, and its owner. */
export interface JournalOwner {
  scope: { workspace: string; infra: string; uuid: string };
  server: string;
  operation: string;
  taskserv: string;
  generation: number;
}

/** A file of a journal, opened: its name in the journal without the ending, and what was sealed. */
export interface OpenedFile {
  name: string;
  content: Buffer;
  /** The secrets that are known to be in it. */
  values: string[];
}

/** Purpose of sealed bytes: those of one file of one journal cannot replace others. */
const sealedFor = ({ scope, server, operation, taskserv, generation }: JournalOwner, name: string): string =>
  `journal/${scope.workspace}/${scope.infra}/${scope.uuid}/${server}/${operation}/${taskserv}/${generation}/${name}`;

/** A file that goes into a journal and is needed again to undo it, sealed. */
export function sealPayload(job: JournalOwner & { sealer: Sealer }, name: string, content: string, values: string[]): Uint8Array {
  return job.sealer.seal(Buffer.from(JSON.stringify({ content, values })), sealedFor(job, `files/${name}`));
}

/** Larger files stay unsealed, readable only for root. Configurations are never that large. */
const LARGEST_KIB = 4096;
/** Size that is read at a time. As base64, and with one more file, it fits into the output of a script. */
const AT_ONCE_KIB = 4096;

/**
 * Replaces the former contents of files in a journal with sealed ones, because a changed or removed file may have had
 * a secret. Mode, owner and times are stored next to them. Can be repeated: sealed files are skipped.
 */
export async function sealFormerFiles(transport: Transport, owner: JournalOwner, { seal }: Sealer): Promise<void> {
  const journal = journalOf(owner.operation, owner.taskserv, owner.generation);
  const plain = `for f in former/*.file; do [ -f "$f" ] && [ ! -L "$f" ] && echo "\${f%.file} $(($(stat -c %s "$f") / 1024))"; done`;
  for await (const files of filesOf(transport, journal, plain, 'file')) {
    const scripts = files.map(({ name, content }) => {
      const sealed = Buffer.from(seal(content, sealedFor(owner, name)));
      return `base64 -d >${name}.draft <<'EOB'
${encode(sealed)}
EOB
cp -a --attributes-only -- ${name}.file ${name}.shape && sync ${name}.draft ${name}.shape && mv ${name}.draft ${name}.sealed && rm -f ${name}.file`;
    });
    await checked(transport, `set -e\numask 077\ncd ${quote(journal)}\n${scripts.join('\n')}`);
  }
}

/**
 * Reads and opens all that is sealed in a journal. Throws the input error
 * `journal-sealed` where that cannot be opened, before anything is undone.
 */
export async function openSealedFiles(transport: Transport, owner: JournalOwner, { open }: Sealer): Promise<OpenedFile[]> {
  const journal = journalOf(owner.operation, owner.taskserv, owner.generation);
  const sealed = `for f in former/*.sealed files/*.sealed; do [ ! -f "$f" ] || echo "\${f%.sealed} $(($(stat -c %s "$f") / 1024))"; done`;
  const opened: OpenedFile[] = [];
  for await (const files of filesOf(transport, journal, sealed, 'sealed')) {
    for (const { name, content } of files) {
      const plain = Buffer.from(
        await open(content, sealedFor(owner, name)).catch((error: unknown) => Promise.reject(notOpened(owner, error))),
      );
      if (name.startsWith('former/')) opened.push({ name, content: plain, values: [] });
      else {
        const payload = JSON.parse(plain.toString('utf8')) as { content: string; values: string[] };
        opened.push({ name, content: Buffer.from(payload.content), values: payload.values });
      }
    }
  }
  return opened;
}

const notOpened = ({ server, taskserv }: JournalOwner, error: unknown) =>
  inputError(
    {
      code: 'journal-sealed',
      what: 'open the journal of the operation',
      on: `${server}/${taskserv}`,
      why: messageOf(error),
      hint: 'use a worker with the encryption key of that time: `provisioning encryption status`',
    },
    { cause: error },
  );

/** Bash that puts opened files back to where the undo looks for them; `$A` is the journal. */
export function restoreFiles(files: readonly OpenedFile[]): string {
  return files
    .map(({ name, content }) => {
      const former = name.startsWith('former/');
      const target = former ? `"$A"/${name}.file` : `"$A"/${name}`;
      const shape = former ? `  cp -a -- "$A"/${name}.shape ${target} || exit 91\n` : '';
      const times = former ? `  touch -r "$A"/${name}.shape ${target}\n` : '';
      return `${shape}  base64 -d >${target} <<'EOB' || exit 91\n${encode(content)}\nEOB\n${times}`;
    })
    .join('');
}

/** Removes from a journal what was opened, once the undo has ended in whatever way; `$A` is the journal. */
export const CLEAR_SCRIPT = `for f in "$A"/former/*.sealed; do [ ! -e "$f" ] || rm -f "\${f%.sealed}.file"; done; rm -f "$A"/files/*.secrets`;

/** Once all is undone, nothing of it is needed any more. */
export const CLEAR_FORMER = `rm -rf "$A"/former/*.file; rm -f "$A"/former/*.sealed "$A"/former/*.shape "$A"/files/*.sealed`;

async function checked(transport: Transport, script: string) {
  const result = await transport.exec(`${SAYS_WHY_UNWRITABLE}\n${script}`);
  if (result.exit === 0) return result;
  const fault = hostFault('read or write the journal on the host', '', result.stderr);
  if (fault) throw fault;
  const why = result.stderr.trim().slice(-300) || `the script ended with code ${result.exit}`;
  throw unreachableError({ code: 'journal-broken', what: 'read or write the journal on the host', why });
}

/** The files that `list` names, with their size in KiB; a few at a time, and none that are too large. */
async function* filesOf(transport: Transport, journal: string, list: string, ending: string) {
  const { stdout } = await checked(transport, `cd ${quote(journal)} 2>/dev/null || exit 0\n${list}\n:`);
  const names = rowsOf(stdout).filter(([name, size]) => OURS.test(name) && Number(size) < LARGEST_KIB + 64);
  while (names.length > 0) {
    const some: string[] = [];
    for (let size = 0; names[0] && size < AT_ONCE_KIB; ) {
      const [[name, kib]] = names.splice(0, 1) as [[string, string]];
      some.push(name);
      size += Number(kib);
    }
    const read = `cd ${quote(journal)}\nfor f in ${some.join(' ')}; do echo "$f $(base64 -w0 "$f.${ending}")"; done`;
    const rows = rowsOf((await checked(transport, read)).stdout);
    yield rows.filter(([name]) => some.includes(name)).map(([name, text]) => ({ name, content: Buffer.from(text, 'base64') }));
  }
}

/** Names of files that we made: whatever else a host says is left out. */
const OURS = /^(?:former\/\d+|files\/\d+\.secrets)$/;

const rowsOf = (stdout: string): [string, string][] =>
  stdout.split('\n').map((line) => {
    const [name = '', rest = ''] = line.split(' ');
    return [name, rest];
  });
