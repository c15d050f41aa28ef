import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Definition, ServerSpec } from '../core/definition.js';
import type { AnyProvider } from '../core/provider.js';
import { definitionFile } from '../core/schema/definition.js';
import type { AnyTaskserv } from '../core/taskserv.js';
import { expandServers } from './expand-servers.js';
import { Findings } from './findings.js';
import { formats } from './formats.js';
import { assignments } from './place-taskservs.js';
import { inFileOrder, type Problem, pathText } from './problem.js';
import { isRecord, salvage } from './salvage.js';
import { complaints } from './schema-issues.js';
import { checkTogether, orderOf, settle } from './settle-taskservs.js';
import type { Source } from './source.js';

export interface LoadOptions {
  workspace: string;
  registries: {
    taskservs: Readonly<Record<string, AnyTaskserv>>;
    providers: Readonly<Record<string, AnyProvider>>;
  };
  /** The secrets that are set. */
  secretNames: { has(name: string): boolean };
}

/** A definition, or all that keeps the file from being one. */
export type Loaded = { definition: Definition; problems: [] } | { definition?: undefined; problems: Problem[] };

/** Reads a definition file. Reports everything wrong with it at once; throws nothing and prints nothing. */
export async function loadDefinition(path: string, options: LoadOptions): Promise<Loaded> {
  const failed = (message: string, suggestion?: string): Loaded => ({
    problems: [{ file: path, line: 1, column: 1, path: '', message, suggestion }],
  });
  const read = formats[extname(path).toLowerCase()];
  if (!read) {
    return failed(`cannot read a file of the kind "${extname(path)}"`, `known: ${Object.keys(formats).join(', ')}`);
  }
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return failed(code === 'ENOENT' ? 'there is no such file' : `the file cannot be read (${code})`);
  }
  if (text.trim() === '') return failed('the file is empty', 'examples/quickstart.yaml is a definition to start from');
  return understand(read(path, text), options);
}

/** The definition that a source says. */
export function understand(source: Source, options: LoadOptions): Loaded {
  const faults = source.faults.map((fault) => ({ file: source.file, path: '', ...fault }));
  if (!isRecord(source.value)) {
    const other =
      faults.length > 0
        ? []
        : [{ file: source.file, ...source.place([], 'value'), path: '', message: 'a definition is a map of keys' }];
    return { problems: inFileOrder([...faults, ...other]) };
  }
  const findings = new Findings();
  findings.all.push(...complaints(definitionFile, source.value));
  const definition = assemble(source.value, options, findings);
  const problems = findings.all.map(
    ({ path, at, message, suggestion }): Problem => ({
      file: source.file,
      ...source.place(path, at),
      path: pathText(path),
      message,
      ...(suggestion ? { suggestion } : {}),
    }),
  );
  const all = inFileOrder([...faults, ...problems]);
  return all.length > 0 ? { problems: all } : { definition, problems: [] };
}

function assemble(value: unknown, { workspace, registries, secretNames }: LoadOptions, findings: Findings): Definition {
  const file = salvage(value);
  const servers = expandServers(file, registries.providers, findings);
  const around = { workspace, taskservs: registries.taskservs, secretNames };
  const entries = assignments(file, servers, around, findings);
  const settled = servers.map((server) => ({ server, placed: settle(server, entries, registries.taskservs, findings) }));
  const order = orderOf(
    settled.flatMap(({ placed }) => placed),
    findings,
  );
  const specs = settled.map(({ server, placed }): ServerSpec => {
    checkTogether(server, placed, findings);
    const byOrder = placed.map(({ spec }) => spec).sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
    return { ...server.spec, taskservs: byOrder };
  });
  const { infra, onFailure, protect, approve } = file.settings;
  const gates = approve === undefined ? {} : { approve: [approve].flat() };
  return { workspace, infra, onFailure, protect, ...gates, servers: specs };
}
