/** Returns whether labels match a label selector. */
export function selects(selector: string | null, labels: Record<string, string>): boolean {
  if (selector === null) return true;
  // Commas within brackets separate values, all others separate conditions.
  return selector.split(/,(?![^(]*\))/).every((condition) => holds(condition.trim(), labels));
}

function holds(condition: string, labels: Record<string, string>): boolean {
  const [, key = '', not, values = ''] = /^(\S+) (not)?in \((.*)\)$/.exec(condition) ?? [];
  if (key)
    return (
      values
        .split(',')
        .map((one) => one.trim())
        .includes(labels[key] ?? '\0') !== Boolean(not)
    );
  const [, name = '', operator, value] = /^([^!=]+)(!=|==|=)(.*)$/.exec(condition) ?? [];
  if (name) return (labels[name] === value) === (operator !== '!=');
  return condition.startsWith('!') ? !(condition.slice(1) in labels) : condition in labels;
}
