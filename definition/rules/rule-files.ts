import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { type RuleEntry, ruleFile } from '../../core/schema/rules.js';
import { filesIn } from '../layers/files-in.js';
import { Findings } from '../source/findings.js';
import { isInside } from '../source/is-inside.js';
import { type Path, type Problem, pathText } from '../source/problem.js';
import { problemsOf, readSource, reportNotAMap } from '../source/read-source.js';
import { isRecord } from '../source/salvage.js';
import { complaints } from '../source/schema-issues.js';
import type { Source } from '../source/source.js';
import { type Node, parseRule } from './parse-rule.js';
import { RuleFault } from './rule-fault.js';

/** Folder of rules in a workspace. */
const FOLDER = 'rules';

/** A rule, read, and where it stands. */
export interface Rule extends RuleEntry {
  whenNode?: Node;
  checkNode: Node;
  source: Source;
  path: Path;
}

/** The rules of a workspace, or all that is wrong with their files. */
export async function readRules(root: string): Promise<{ rules: Rule[]; problems: Problem[] }> {
  const folder = join(root, FOLDER);
  const files = await filesIn(folder);
  const found = await Promise.all(files.map((file) => readRuleFile(join(folder, file), root)));
  const rules = found.flatMap((one) => one.rules);
  const problems = found.flatMap((one) => one.problems);
  rules.forEach((rule, index) => {
    const twin = rules.slice(0, index).find(({ name }) => name === rule.name);
    if (!twin) return;
    const { line } = twin.source.place(twin.path, 'value');
    problems.push(
      problemAt(
        rule.source,
        [...rule.path, 'name'],
        `two rules are called "${rule.name}", the other is at ${twin.source.file}:${line}`,
      ),
    );
  });
  return { rules, problems };
}

async function readRuleFile(file: string, root: string): Promise<{ rules: Rule[]; problems: Problem[] }> {
  const [real, within] = await Promise.all([realpath(file), realpath(root || '.')]).catch(() => [file, root]);
  if (!isInside(real, within)) {
    const problem = { file, line: 1, column: 1, path: '', message: 'it is a link to a file outside of the workspace' };
    return { rules: [], problems: [problem] };
  }
  const source = await readSource(file, 'rules: [{ name: …, description: …, check: … }]', within);
  if ('message' in source) return { rules: [], problems: [source] };
  if (!isRecord(source.value)) return { rules: [], problems: reportNotAMap(source, 'a file of rules') };
  const findings = new Findings();
  findings.all.push(...complaints(ruleFile, source.value));
  const parsed = ruleFile.safeParse(source.value);
  const rules = (parsed.success ? parsed.data.rules : []).flatMap((entry, index): Rule[] => {
    const path: Path = ['rules', index];
    const read = (key: 'when' | 'check', text: string): Node | undefined => {
      try {
        return parseRule(text);
      } catch (error) {
        if (!(error instanceof RuleFault)) throw error;
        findings.value([...path, key], error.message, error.suggestion);
        return undefined;
      }
    };
    const checkNode = read('check', entry.check);
    const whenNode = entry.when === undefined ? undefined : read('when', entry.when);
    return checkNode ? [{ ...entry, checkNode, ...(whenNode ? { whenNode } : {}), source, path }] : [];
  });
  return { rules, problems: problemsOf(source, findings) };
}

/** Creates a problem at a place of a source. */
export function problemAt(source: Source, path: Path, message: string, suggestion?: string): Problem {
  const { path: there = path, ...place } = source.place(path, 'value');
  return { file: source.file, ...place, path: pathText(there), message, ...(suggestion ? { suggestion } : {}) };
}
