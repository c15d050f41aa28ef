import type { Definition } from '../../../core/definition/definition.js';
import { columns, type Paint } from '../../program/screen.js';

/**
 * Renders the values of expressions that may differ next time, one line each. Empty if there are no such expressions.
 */
export function renderResolved(resolved: Definition['resolved'], paint: Paint): string {
  const rows = Object.entries(resolved ?? {}).map(([name, value]) => [`  ${paint('dim', name)}`, String(value)]);
  return rows.length === 0
    ? ''
    : `worked out now:\n${columns(rows)
        .map((line) => `${line}\n`)
        .join('')}`;
}
