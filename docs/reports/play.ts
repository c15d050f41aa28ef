import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ProvisioningError } from '../../core/errors.js';
import { type LoadedDefinition, loadDefinition } from '../../definition/load-definition.js';
import { providers } from '../../providers/registry.generated.js';
import { type AnyTaskserv, type HealthCheck, reveal, type SecretRef, type Step, type Text } from '../../sdk/index.js';
import { type Case, planOf, stepsOf } from '../../sdk/testing/case.js';
import { taskservs } from '../../taskservs/registry.generated.js';
import { FORMAT_READERS } from '../../test/support/format-readers.js';
import { modules } from '../../test/support/modules.js';

/** Gives an input of a report to the product, and expects the right answer. */
export type Play = () => void | Promise<void>;

/** State of the host, and the rest of a case in the tests of taskservs. */
export type Given = Omit<Partial<Case>, 'steps'>;

const SECRET = 'the-secret';
/** A secret in a configuration; `files` and `programs` give it a value. */
export const secret = { $secret: SECRET };

const taskserv = (name: string): AnyTaskserv => (modules.taskservs as Record<string, AnyTaskserv>)[name] as AnyTaskserv;

/** Writes files into a folder, which is removed after the work. */
export async function withFiles<T>(files: Record<string, string | Buffer>, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'provisioning-reports-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    }
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Loads a definition; all secrets that it names are set. */
export const load = (text: string, beside: Record<string, string | Buffer> = {}): Promise<LoadedDefinition> =>
  withFiles({ 'infra.yaml': text, ...beside }, (folder) =>
    loadDefinition(join(folder, 'infra.yaml'), {
      workspace: 'default',
      registries: { providers, taskservs },
      secretNames: { has: () => true },
    }),
  );

/** Returns the problems of a definition, each as `LINE:COLUMN: MESSAGE`. */
export async function problems(text: string, beside: Record<string, string | Buffer> = {}): Promise<string[]> {
  const { problems: found = [] } = await load(text, beside);
  return found.map(({ line, column, message }) => `${line}:${column}: ${message}`);
}

/** A definition of one server with a taskserv, whose configuration is JSON, in line 4. */
export const server = (name: string, config: unknown): string =>
  `infra: shop\nprovider: demo\nservers: [{ name: hub }]\ntaskservs: [{ name: ${name}, config: ${JSON.stringify(config)} }]\n`;

/** Returns the steps of a taskserv, on an empty host. */
export const steps = (name: string, config: unknown, given: Given = {}): Step[] =>
  stepsOf(taskserv(name), { ...given, config } as Case);

/** Returns a taskserv's health checks. */
export function health(name: string, config: unknown, given: Given = {}): HealthCheck[] {
  const { config: parsed, context } = planOf(taskserv(name), { ...given, config } as Case);
  return taskserv(name).health(parsed, context);
}

const revealed = (content: Text, value: string): string => reveal(content, (name) => (name === SECRET ? value : 'another'));

/** A file that the steps write, with this value of the secret. */
export function fileIn(all: readonly Step[], path: string, value = ''): string {
  const step = all.find((one) => 'file' in one && one.file.path === path);
  if (!step || !('file' in step)) throw new Error(`no step writes ${path}`);
  return revealed(step.file.content, value);
}

/** Texts of a step in which a secret may stand. */
const textsOf = (step: Step): Text[] =>
  'file' in step
    ? [step.file.content]
    : 'run' in step
      ? [...Object.values(step.env ?? {}), ...(step.stdin === undefined ? [] : [step.stdin])]
      : [];

const refsIn = (content: Text): { ref: SecretRef; after: Text }[] =>
  typeof content === 'string'
    ? []
    : content.flatMap((part, at) =>
        typeof part === 'object' && part.$secret === SECRET ? [{ ref: part, after: content.slice(at + 1) }] : [],
      );

/**
 * Returns the values that programs read instead of the secret, without duplicates: each place by the rules of its
 * format. A refusal is returned as its error.
 */
export function programsRead(all: readonly Step[], value: string): string[] {
  const places = all.flatMap(textsOf).flatMap(refsIn);
  if (places.length === 0) throw new Error('no step has the secret');
  const read = ({ ref, after }: (typeof places)[number]): string => {
    try {
      const text = revealed([ref], value);
      if (ref.as === undefined || ref.as === 'variable') return text;
      return FORMAT_READERS[ref.as](text + revealed(after, value))?.value ?? 'the program refuses it';
    } catch (error) {
      if (!(error instanceof ProvisioningError)) throw error;
      return `refused: ${error.details.on}: ${error.details.why}`;
    }
  };
  return [...new Set(places.map(read))];
}

/** Runs bash like scripts on hosts, with functions instead of programs. */
export function bash(script: string, standIns = ''): { code: number; out: string } {
  const { status, stdout } = spawnSync('bash', ['--norc', '-euo', 'pipefail'], {
    input: `${standIns}\nexec 2>&1\n${script}\n`,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
  });
  return { code: status ?? -1, out: stdout };
}
