import './versioning.js';

export * from './all.js';
