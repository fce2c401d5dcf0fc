// Restores a checkpoint in a process of its own, so that a test can kill it in the middle.
import { createCheckpointServices } from '../../../dist/runner/checkpoints/index.js';
import { Turns } from '../../../dist/runner/turns.js';

const { folder, root, checkpointId } = JSON.parse(process.argv[2]);
const services = createCheckpointServices({
  folder,
  environment: () => process.env,
  turns: new Turns(),
  now: () => Date.now(),
  onFault: (error) => console.error(error),
});
const { method, handle } = services.find((service) => service.method.name === 'checkpoints/restore');
const request = {
  signal: new AbortController().signal,
  disconnected: new AbortController().signal,
  note: () => true,
  drained: () => Promise.resolve(),
};
console.log(JSON.stringify(await handle(method.params.parse({ root, checkpoint_id: checkpointId }), request)));
