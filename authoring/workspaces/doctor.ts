import { readdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { ProvisioningError } from '../../core/errors.js';
import { formats } from '../../definition/source/formats.js';
import { problemText } from '../../definition/source/problem.js';
import type { RegisteredWorkspace } from '../../home/workspaces/registry.js';
import { findTrouble } from '../../settings/workspaces/find-trouble.js';
import type { Context } from '../context.js';
import { readDefinition } from '../definition/definitions.js';

/** Result of a check. */
export interface Finding {
  /** Checked object: the folder, a file, the engine. */
  about: string;
  /** `unknown`: it could not be checked. */
  is: 'well' | 'wrong' | 'unknown';
  text: string;
  hint?: string;
}

/** Checks a whole workspace: its folder, its definitions, and its state in the engine. */
export async function examine(context: Context, workspace: RegisteredWorkspace): Promise<Finding[]> {
  const trouble = await findTrouble(workspace);
  if (trouble) return [{ about: workspace.folder, is: 'wrong', text: trouble.why, hint: trouble.hint }];
  const findings: Finding[] = [{ about: workspace.folder, is: 'well', text: `the folder of ${workspace.name}` }];
  const files = new Map<string, string[]>();
  // Values of variables are not prompted for: a missing value is a finding.
  const unasked: Context = Object.create(context, { ask: { value: undefined } });
  for (const file of await definitionsIn(workspace.folder)) {
    const { definition, problems } = await readDefinition(unasked, file);
    if (definition) files.set(definition.infra, [...(files.get(definition.infra) ?? []), file]);
    const [first] = problems;
    const more = problems.length > 1 ? `, and ${problems.length - 1} more problems: provisioning validate ${file}` : '';
    findings.push(
      first
        ? { about: file, is: 'wrong', text: `${problemText(first)}${more}` }
        : { about: file, is: 'well', text: `the infra ${definition?.infra}` },
    );
  }
  for (const [infra, both] of files)
    if (both.length > 1) findings.push({ about: infra, is: 'wrong', text: `both ${both.join(' and ')} define this infra` });
  return [...findings, ...(await compared(context, workspace.name, new Set(files.keys())))];
}

/** Lists the definition files. */
async function definitionsIn(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, 'infra')).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return (
    names
      .filter((name) => Object.hasOwn(formats, extname(name).toLowerCase()))
      // `shop.prod.yaml` is an overlay of `shop.yaml`, and `shop.config.yaml` has its settings.
      .filter((name) => !basename(name, extname(name)).includes('.'))
      .sort()
      .map((name) => join(folder, 'infra', name))
  );
}

/** Reports infras that the engine has and no file defines, which the folder does not show. */
async function compared(context: Context, workspace: string, known: ReadonlySet<string>): Promise<Finding[]> {
  try {
    const infras = await (await context.client()).infras.list({ workspace });
    return infras
      .filter((infra) => !known.has(infra))
      .map((infra) => ({
        about: infra,
        is: 'wrong' as const,
        text: 'the engine has this infra, and no file in infra/ defines it',
        hint: `provisioning inventory ${infra} shows what it has`,
      }));
  } catch (error) {
    if (!(error instanceof ProvisioningError)) throw error;
    return [{ about: 'engine', is: 'unknown', text: `which infras exist is not known: ${error.details.why}` }];
  }
}
