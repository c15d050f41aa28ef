/** Time that an answer is cached, in milliseconds: a command requests several signatures in a row. */
const KEPT_MS = 10_000;

interface Kept {
  until: number;
  answer: Promise<unknown>;
}

const kept = new WeakMap<object, Map<string, Kept>>();

/**
 * Returns the recent answer to the same question, or the answer of `ask`. Failures are not cached.
 *
 * @param about object that owns the answers
 */
export function rememberBriefly<T>(about: object, question: readonly string[], ask: () => Promise<T>): Promise<T> {
  const now = Date.now();
  const answers = kept.get(about) ?? new Map<string, Kept>();
  kept.set(about, answers);
  for (const [name, { until }] of answers) if (until <= now) answers.delete(name);
  const name = JSON.stringify(question);
  const known = answers.get(name);
  if (known) return known.answer as Promise<T>;
  const answer = ask();
  answers.set(name, { until: now + KEPT_MS, answer });
  answer.catch(() => answers.delete(name));
  return answer;
}
