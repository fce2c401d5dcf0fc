import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Where files take longest: they start daemons, commands, servers, and wait for them. */
const LONG = ['/test/e2e/', '/test/soak/', '/test/runner/ssh/', '/test/runner/shell/', '/test/runner/jobs/', '/test/daemon/execution/', '/test/daemon/shells/'];

/**
 * vitest's order of the files: the long ones first, so that no worker is still at one when
 * the others have nothing left to do. Within both parts the usual order stays.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.some((folder) => moduleId.includes(folder));
    return [...usual.filter(isLong), ...usual.filter((file) => !isLong(file))];
  }
}
