import type { ProviderAnswers, ProviderTopic } from '../../core/operation/provider-questions.js';
import { requests } from '../../core/schema/requests.js';
import type { ask } from '../../workflows/index.js';
import type { Engine } from '../engine.js';
import { inquire } from '../temporal/inquiry.js';

/** An account of a provider, as definitions name it. */
export const providerAccount = requests.ask.pick({ provider: true });

/**
 * Queries the offers or permissions of an account, by the worker that has its credentials.
 *
 * @throws inputError `nothing-sold`, and the refusals of the provider
 */
export async function askProvider<T extends ProviderTopic>(
  engine: Engine,
  provider: string,
  topic: T,
): Promise<ProviderAnswers[T]> {
  const answer = await inquire<typeof ask>(
    engine,
    'ask',
    { provider, topic },
    {
      id: `ask-${topic}-${provider.replace('/', '-')}`,
      summary: `Ask ${provider} for ${topic}`,
    },
  );
  return answer as ProviderAnswers[T];
}
