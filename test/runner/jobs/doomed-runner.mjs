// A Runner's execution services in a process of their own, so that a test can kill it:
// starts the requests of its argument and prints what came of each, then waits.
import { runnerSettingsSchema } from '../../../dist/protocol/runner/settings.js';
import { createExecutionServices } from '../../../dist/runner/jobs/index.js';

const { spoolFolder, instanceId, maxConcurrentJobs, requests, settings = {} } = JSON.parse(process.argv[2]);
const execution = await createExecutionServices({
  spoolFolder,
  instanceId,
  outputModule: new URL('../../../dist/runner/output/worker/main.js', import.meta.url),
  env: 'inherit',
  noninteractive: true,
  maxConcurrentJobs,
  spoolMaxBytes: 64 * 1024 * 1024,
  onFault: (error) => console.error(error),
});
execution.settings.replace(runnerSettingsSchema.parse(settings));
const service = execution.services.find(({ method }) => method.name === 'execution/start');
const request = {
  signal: new AbortController().signal,
  disconnected: new AbortController().signal,
  note: () => true,
  drained: () => Promise.resolve(),
};
for (const params of requests) {
  void service.handle(service.method.params.parse(params), request).then((answer) => console.log(JSON.stringify(answer)));
}
setInterval(() => undefined, 1000);
