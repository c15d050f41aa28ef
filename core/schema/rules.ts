import * as z from 'zod';
import { word } from './text-fields.js';

const expression = () => z.string().min(1).max(2_000);

/** Something that a rule is not held against, and why. */
const exception = z.strictObject({
  on: word(120).describe('What is excepted: a server `db`, a service `db/postgres`, a volume `db/data`, or the name of an infra'),
  infra: word(40).optional().describe('Only in this infra. Default: in all'),
  reason: z.string().min(3, 'say why, in a few words').max(500).describe('Why, for whoever reads it next'),
});

const rule = z.strictObject({
  name: word(80).describe('Name of the rule, unique in its workspace'),
  description: z.string().min(1).max(500).describe('What is wanted, in a sentence: shown where it is broken'),
  each: z
    .enum(['infra', 'server', 'service', 'volume'])
    .default('infra')
    .describe('What it is judged for: once, or for each server, service or volume'),
  when: expression().optional().describe('An expression: the rule is judged only where it is true. Default: always'),
  check: expression().describe('An expression that is true where all is well'),
  severity: z
    .enum(['error', 'warning'])
    .default('error')
    .describe('Whether a definition that breaks it is refused. Default: error'),
  hint: z.string().max(200).optional().describe('What to do about it'),
  except: z.array(exception).default([]).describe('What it is not held against, each with a reason'),
});

/** A file of the folder `rules/` of a workspace. */
export const ruleFile = z.strictObject({ rules: z.array(rule).max(200) });

export type RuleEntry = z.output<typeof rule>;
