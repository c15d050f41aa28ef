import type { ApiAnswer } from './api-requests.js';

/**
 * Texts that would end their value and begin a further condition. Temporal's parser takes the character after a
 * backslash as it is, so doubling the quotes is not enough. The rest of the query would be a comment.
 */
const TEXTS = ["x\\' OR ProvisioningWorkspace != ' -- ", "x' OR ProvisioningWorkspace != ' -- ", 'x\\'];
/** Parameters of lists that Temporal answers. */
const LISTS = {
  '/v1/operations?filter[actor]=': { items: [] },
  '/v1/operations?infra=': { items: [] },
  '/v1/operation-count?filter[actor]=': { count: 0 },
  '/v1/batches?filter[actor]=': { items: [] },
};

/** Lists operations and batches by texts with quotes. @returns the answers */
export async function listByQuotes(ask: (verb: string, path: string) => Promise<ApiAnswer>): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const path of Object.keys(LISTS))
    for (const text of TEXTS) {
      const { status, body } = await ask('GET', `${path}${encodeURIComponent(text)}`);
      answers.push([path, text, status, body]);
    }
  return answers;
}

/** Answers of a platform that takes each text as one value, which nothing has. */
export const FINDS_NOTHING = Object.entries(LISTS).flatMap(([path, body]) => TEXTS.map((text) => [path, text, 200, body]));
