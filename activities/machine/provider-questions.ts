import { cancellationSignal } from '@temporalio/activity';
import { inputError } from '../../core/errors.js';
import type { Catalog } from '../../core/machine/catalog.js';
import type { ProviderAnswers, ProviderOffer, ProviderQuestion, ProviderTopic } from '../../core/operation/provider-questions.js';
import type { ConnectionOf } from './provider-connections.js';

/** Asks accounts what they sell and may do: where the credentials are. */
export function createProviderQuestions({ connectionOf }: { connectionOf: ConnectionOf }) {
  return {
    async askProvider({ provider, topic }: ProviderQuestion): Promise<ProviderAnswers[ProviderTopic]> {
      const { catalog } = await connectionOf(provider);
      if (!catalog)
        throw inputError({
          code: 'nothing-sold',
          what: 'ask the provider',
          on: provider,
          why: 'it has no plans, prices or images to list',
        });
      const signal = cancellationSignal();
      if (topic === 'plans') return listSold(catalog, signal);
      return catalog[topic](signal);
    },
  };
}

/** All that a catalogue says of prices. */
export async function listSold(catalog: Catalog, signal?: AbortSignal): Promise<ProviderOffer> {
  const { defaultZone, smallestVolumeGiB } = catalog;
  const [plans, volumePrices, addOns] = await Promise.all([
    catalog.plans(signal),
    catalog.volumePrices?.(signal),
    catalog.addOns?.(signal),
  ]);
  return {
    ...(defaultZone ? { defaultZone } : {}),
    plans,
    ...(volumePrices ? { volumePrices } : {}),
    ...(smallestVolumeGiB ? { smallestVolumeGiB } : {}),
    ...(addOns ? { addOns } : {}),
  };
}
