import { type CredentialSource, DEFAULT_ACCOUNT, findCredentials, inputError } from '../../sdk/index.js';
import type { Credentials } from './client/index.js';

/** Variables of the default account, each with the last part of its secret's name. */
export const VARIABLES = { UPCLOUD_TOKEN: 'token', UPCLOUD_USERNAME: 'username', UPCLOUD_PASSWORD: 'password' } as const;

/**
 * Returns a token, or a user name with its password: from the environment, otherwise from the secret store. Throws the
 * input errors `no-credentials` and, for both kinds or half of one, `credentials`.
 */
export async function credentialsFor(account = DEFAULT_ACCOUNT, { env, secret }: CredentialSource): Promise<Credentials> {
  const places = findCredentials({ name: 'upcloud', variables: VARIABLES }, account);
  const inEnv = judged(
    places.map(({ variable }) => env[variable] || undefined),
    places.map(({ variable }) => variable),
    account,
  );
  if (inEnv) return inEnv;
  const values: (string | undefined)[] = [];
  for (const place of places) values.push(await secret(place.secret));
  const kept = judged(
    values,
    places.map((place) => place.secret),
    account,
  );
  if (kept) return kept;
  throw inputError({
    code: 'no-credentials',
    what: 'connect to UpCloud',
    on: `account ${account}`,
    why: 'there are no credentials',
    hint: `set ${places[0]?.variable}, or \`provisioning secret set ${places[0]?.secret}\``,
  });
}

function judged(
  [token, username, password]: (string | undefined)[],
  [one, two, three]: string[],
  account: string,
): Credentials | undefined {
  const wrong = (why: string, hint: string) =>
    inputError({ code: 'credentials', what: 'connect to UpCloud', on: `account ${account}`, why, hint });
  if (token && (username || password))
    throw wrong(`${one} is set, and ${username ? two : three} too`, `leave either the token, or both ${two} and ${three}`);
  if (token) return { token };
  if (username && password) return { username, password };
  if (username || password) throw wrong(`${username ? three : two} is missing`, `set both ${two} and ${three}, or only ${one}`);
  return undefined;
}
