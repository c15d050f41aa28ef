import type { Definition } from '../../core/definition/definition.js';
import { LIMITS } from '../../core/limits.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { type Path, type Problem, sortProblems } from '../source/problem.js';
import type { Source } from '../source/source.js';
import { Budget, evaluateRule } from './evaluate-rule.js';
import { collectSubjects, type Subject } from './rule-facts.js';
import { RuleFault } from './rule-fault.js';
import { problemAt, type Rule, readRules } from './rule-files.js';
import type { Data } from './rule-functions.js';

/** Monthly cost of the servers, or the reason why it is unknown. */
export type MonthlyCost = { monthly: number; currency: string } | { unknown: string };

/** Context of rules beside the definition. */
export interface RuleContext {
  /** The folder of the workspace. */
  root: string;
  environment?: string;
  taskservs: Readonly<Record<string, AnyTaskserv>>;
  /** Asked only where a rule names `cost`. */
  cost?(definition: Definition): Promise<MonthlyCost>;
  /** Places of servers and services in the source, by `db` and `db/postgres`. */
  places: ReadonlyMap<string, Path>;
}

/** Findings of rules about a definition. */
export interface Judgement {
  problems: Problem[];
  warnings: Problem[];
  /** Findings that an exception suppresses. */
  excepted: Problem[];
}

/** Judges a definition by the rules of its workspace. Throws nothing, and asks no server. */
export async function judge(definition: Definition, source: Source, judging: RuleContext): Promise<Judgement> {
  const found: Judgement = { problems: [], warnings: [], excepted: [] };
  const { rules, problems } = await readRules(judging.root);
  if (problems.length > 0) return { ...found, problems };
  if (rules.length === 0) return found;
  const price = rules.some(({ check, when = '' }) => /\bcost\b/.test(check + when)) ? await judging.cost?.(definition) : undefined;
  const cost = (): Data => {
    if (price && 'monthly' in price) return price;
    throw new RuleFault(`what it costs is not known: ${price?.unknown ?? 'the provider has no prices'}`, undefined, true);
  };
  const subjects = collectSubjects(definition, { environment: judging.environment, taskservs: judging.taskservs, cost });
  const budget = new Budget();
  for (const rule of rules)
    for (const subject of subjects)
      if (subject.kind === rule.each) judgeOne(rule, subject, { definition, source, places: judging.places, budget, found });
  return {
    problems: sortProblems(found.problems).slice(0, LIMITS.problems),
    warnings: sortProblems(found.warnings).slice(0, LIMITS.problems),
    excepted: sortProblems(found.excepted).slice(0, LIMITS.problems),
  };
}

interface Around {
  definition: Definition;
  source: Source;
  places: RuleContext['places'];
  budget: Budget;
  found: Judgement;
}

function judgeOne(rule: Rule, subject: Subject, { definition, source, places, budget, found }: Around): void {
  const at = rule.source.place([...rule.path, 'name'], 'value');
  const ruleText = `the rule "${rule.name}" (${rule.source.file}:${at.line}:${at.column})`;
  const place = places.get(subject.on) ?? places.get(subject.server ?? '') ?? ['infra'];
  let key: 'when' | 'check' = 'when';
  try {
    if (rule.whenNode && evaluateRule(rule.whenNode, subject.names, budget) !== true) return;
    key = 'check';
    if (evaluateRule(rule.checkNode, subject.names, budget) === true) return;
  } catch (error) {
    if (!(error instanceof RuleFault)) throw error;
    if (error.unknown)
      found.warnings.push(problemAt(source, place, `${subject.on} could not be held against ${ruleText}: ${error.message}`));
    else
      found.problems.push(
        problemAt(rule.source, [...rule.path, key], `${error.message} (judging ${subject.on})`, error.suggestion),
      );
    return;
  }
  const excepted = rule.except.find(({ on, infra }) => on === subject.on && (infra === undefined || infra === definition.infra));
  if (excepted) {
    found.excepted.push(problemAt(source, place, `${subject.on} is excepted from ${ruleText}: ${excepted.reason}`));
    return;
  }
  const broken = problemAt(source, place, `${subject.on} breaks ${ruleText}: ${rule.description}`, rule.hint);
  if (rule.severity === 'error') found.problems.push({ ...broken, code: 'rule-broken' });
  else found.warnings.push(broken);
}
