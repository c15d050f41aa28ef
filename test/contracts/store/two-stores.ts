import type { Stores } from '../../../stores/stores.js';

/** The same store, opened twice, as two workers do. */
export interface TwoStores {
  one: Stores;
  two: Stores;
}
