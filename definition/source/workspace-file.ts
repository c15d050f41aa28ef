import { dirname } from 'node:path';
import type * as z from 'zod';
import { workspaceFile } from '../../core/schema/workspace.js';
import { Findings } from './findings.js';
import type { Problem } from './problem.js';
import { problemsOf, readSource, reportNotAMap } from './read-source.js';
import { isRecord } from './salvage.js';
import { complaints } from './schema-issues.js';

export type WorkspaceFile = z.infer<typeof workspaceFile>;

/** Reads the file of a workspace, or returns all its problems. */
export async function readWorkspaceFile(path: string): Promise<{ file: WorkspaceFile } | { problems: Problem[] }> {
  const source = await readSource(path, 'name: NAME is enough', dirname(path));
  if ('message' in source) return { problems: [source] };
  if (!isRecord(source.value)) return { problems: reportNotAMap(source, 'the file of a workspace') };
  // Its settings may be encrypted: that is theirs to read.
  const { sops: _, ...value } = source.value;
  const findings = new Findings();
  findings.all.push(...complaints(workspaceFile, value));
  const problems = problemsOf(source, findings);
  const parsed = workspaceFile.safeParse(value);
  return problems.length > 0 || !parsed.success ? { problems } : { file: parsed.data };
}
