import type { AccountReport, AddOns, CatalogImage, CatalogPlan, CatalogZone, Price } from '../machine/catalog.js';

/** Products of a provider, with prices. */
export interface ProviderOffer {
  /** Zone of servers without a declared zone. */
  defaultZone?: string;
  plans: CatalogPlan[];
  /** Hourly price of a GiB of volume, by zone. Absent if unknown. */
  volumePrices?: Record<string, Price>;
  smallestVolumeGiB?: number;
  addOns?: AddOns;
}

/** Questions to an account, and their answers. */
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
