import * as z from 'zod';
import { word } from './text-fields.js';

const expression = () => z.string().min(1).max(2_000);

/** Something that a rule is not held against, and why. */
const exception = z.strictObject({
  on: word(120).describe('Exception: a server `db`, a service `db/postgres`, a volume `db/data`, or the name of an infra'),
  infra: word(40).optional().describe('Only this infra. Default: all infras'),
  reason: z.string().min(3, 'say why, in a few words').max(500).describe('Reason for the exception'),
});

const rule = z.strictObject({
  name: word(80).describe('Name of the rule, unique in its workspace'),
  description: z.string().min(1).max(500).describe('Requirement in a sentence, shown after a violation'),
  each: z
    .enum(['infra', 'server', 'service', 'volume'])
    .default('infra')
    .describe('Scope: once, or each server, service or volume'),
  when: expression().optional().describe('Expression that limits the rule. Default: always'),
  check: expression().describe('Expression that is true if the rule is met'),
  severity: z.enum(['error', 'warning']).default('error').describe('Whether a violation rejects the definition. Default: error'),
  hint: z.string().max(200).optional().describe('Suggested fix'),
  except: z.array(exception).default([]).describe('Exceptions, each with a reason'),
});

/** A file in the folder `rules/` of a workspace. */
export const ruleFile = z.strictObject({ rules: z.array(rule).max(200) });

export type RuleEntry = z.output<typeof rule>;
