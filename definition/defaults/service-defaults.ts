import { findSecretRefs } from '../../core/taskserv/secret.js';
import { faultOfSecret, type Surroundings } from '../place-taskservs.js';
import { type GeneratedFor, resolveReferences } from '../references.js';
import type { Findings } from '../source/findings.js';
import type { Path } from '../source/problem.js';
import { isRecord } from '../source/salvage.js';
import { type DefinitionSettings, describeSetting } from './definition-settings.js';

/** The configuration that settings give a taskserv. */
export interface ServiceDefaults {
  config: Record<string, unknown>;
  /** The setting that says what is at a path of it, or one below; undefined where none does. */
  from(path: Path): string | undefined;
}

/**
 * Returns a function that finds the settings of a taskserv, each once, with references instead of its secrets. A fault
 * in them is a finding about the whole definition, because its file does not contain it.
 */
export function serviceDefaultsFor(
  settings: DefinitionSettings,
  around: Surroundings & Omit<GeneratedFor, 'taskserv'>,
  findings: Findings,
): (taskserv: string) => ServiceDefaults | undefined {
  const known = new Map<string, ServiceDefaults | undefined>();
  const referring = (taskserv: string): ServiceDefaults | undefined => {
    const found = serviceDefaults(settings, taskserv);
    if (!found) return undefined;
    const { value, misuses } = resolveReferences(found.config, { ...around, taskserv });
    const wrong = (path: Path, message: string, suggestion?: string) =>
      findings.key(['taskservs'], `${taskserv}: ${message} (${found.from(path)})`, suggestion);
    for (const { path, message, suggestion } of misuses) wrong(path, message, suggestion);
    for (const secret of findSecretRefs(value)) {
      const fault = faultOfSecret(secret.name, around.infra, around);
      if (fault) wrong(secret.path, fault.message, fault.suggestion);
    }
    return { config: value, from: found.from };
  };
  return (taskserv) => {
    if (!known.has(taskserv)) known.set(taskserv, referring(taskserv));
    return known.get(taskserv);
  };
}

/** Settings of the fields of a taskserv. Undefined without settings. */
function serviceDefaults(settings: DefinitionSettings, taskserv: string): ServiceDefaults | undefined {
  const prefix = `taskservs.${taskserv}.`;
  const names = [...settings.said.keys()].filter((name) => name.startsWith(prefix));
  if (names.length === 0) return undefined;
  const config: Record<string, unknown> = {};
  for (const name of names) putAt(config, name.slice(prefix.length).split('.'), settings.values.get(name));
  return {
    config,
    from(path) {
      const at = `${prefix}${path.filter((part) => typeof part === 'string').join('.')}`;
      const name = names.find((one) => at === one || at.startsWith(`${one}.`) || one.startsWith(`${at}.`));
      return name && describeSetting(settings, name);
    },
  };
}

function putAt(config: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    config[key] = value;
    return;
  }
  const inside = isRecord(config[key]) ? config[key] : {};
  config[key] = inside;
  putAt(inside as Record<string, unknown>, rest, value);
}
