import type { ProviderAnswers, ProviderTopic } from '../../core/operation/provider-questions.js';
import { requests } from '../../core/schema/requests.js';
import type { ask } from '../../workflows/index.js';
import type { Engine } from '../engine.js';
import { inquire } from '../temporal/inquiry.js';

/** An account of a provider, as definitions name it. */
export const providerAccount = requests.ask.pick({ provider: true });

/** What an account sells or may do; asked where its credentials are. @throws inputError `nothing-sold`, and what the provider refuses */
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
