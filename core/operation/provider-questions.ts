import type { AccountReport, AddOns, CatalogImage, CatalogPlan, CatalogZone, Price } from '../machine/catalog.js';

/** What a provider sells, and for how much. */
export interface ProviderOffer {
  /** Where a server goes that names no zone. */
  defaultZone?: string;
  plans: CatalogPlan[];
  /** Of a GiB of volume for an hour, by zone; absent where it is not known. */
  volumePrices?: Record<string, Price>;
  smallestVolumeGiB?: number;
  addOns?: AddOns;
}

/** What an account can be asked, and what it answers. */
export interface ProviderAnswers {
  plans: ProviderOffer;
  images: CatalogImage[];
  zones: CatalogZone[];
  check: AccountReport;
}

export type ProviderTopic = keyof ProviderAnswers;

export interface ProviderQuestion<T extends ProviderTopic = ProviderTopic> {
  /** With its account, as definitions name it. */
  provider: string;
  topic: T;
}
