export { layoutOf } from '../../../app/application/app-layout.js';
