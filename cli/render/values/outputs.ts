import type { OutputValue } from '../../../core/infra/outputs.js';
import { columns, type Paint } from '../../program/screen.js';

/** Renders an output of an infra as one text. A secret and a share show the command that reveals them. */
export function outputText({ name, value, secret, share }: OutputValue, infra: string): string {
  if (share) return `provisioning output ${name} --infra ${infra} --reveal`;
  if (secret !== undefined) return `provisioning secret get ${secret} --reveal`;
  return value === null || value === undefined ? 'not known yet' : String(value);
}

/** Renders the outputs of an infra, one line each. Empty without outputs. */
export function outputsText(outputs: readonly OutputValue[], infra: string, paint: Paint): string {
  if (outputs.length === 0) return '';
  const lines = columns(outputs.map((one) => [`  ${paint('bold', one.name)}`, outputText(one, infra)]));
  return `outputs:\n${lines.map((line) => `${line}\n`).join('')}`;
}

/** Returns outputs by name for `--json`. */
export const outputsDocument = (outputs: readonly OutputValue[]) =>
  Object.fromEntries(outputs.map(({ name, ...output }) => [name, output]));
