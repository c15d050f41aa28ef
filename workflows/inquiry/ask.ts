import { type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import type { ProviderAnswers, ProviderQuestion, ProviderTopic } from '../../core/operation/provider-questions.js';
import { refuseBadRequest } from '../operation/checked-request.js';
import { router } from '../routing.js';
import { stoppable } from './stoppable.js';

const asking: ActivityOptions = { startToCloseTimeout: 60_000, patienceMs: 2 * 60_000, heartbeatTimeout: 15_000 };
const { askProvider } = proxyActivities<Activities>(asking);

/** Asks an account one thing, where its credentials and its limit are. */
export function ask(question: ProviderQuestion): Promise<ProviderAnswers[ProviderTopic]> {
  refuseBadRequest('ask', question);
  return stoppable('ask the provider', question.provider, () =>
    router()('askProvider', askProvider, asking, ({ provider }) => provider)(question),
  );
}
