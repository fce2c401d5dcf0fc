export { windowKey, type WindowSource } from './window-key.js';
