import { z } from 'zod';
import { failure, type Failure } from '../../protocol/tool-result.js';
import { redactText } from '../redaction/index.js';
import { SHORT_ID } from './project-id.js';
import { LOCAL_CLIENT } from './registered-project.js';

const bytesAtMost = (maximum: number) => (text: string) => Buffer.byteLength(text) <= maximum;
const isOneLine = (text: string): boolean => !/\p{Cc}/u.test(text);

/** Names and descriptions are stored and shown as they are, so that nothing can be cut out of them later. */
const holdsNoCredential = (text: string): boolean => !redactText(text).redacted;
const NO_CREDENTIAL = 'it looks like it holds a credential, which is never stored';

/** `client_id`: which Runner. */
export const clientId = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'The Runner that holds the project; there is one, "local"' });

/** `id`: the last part of a project's id. */
export const shortId = z
  .string()
  .regex(SHORT_ID, 'an id has 1 to 64 letters, digits, "_" or "-"')
  .meta({ description: 'The last part of agent:local:ID; made from the folder’s name when left out' });

/** `name`: what people call a project. */
export const projectName = z
  .string()
  .refine((text) => text.trim() !== '' && isOneLine(text) && bytesAtMost(120)(text), 'a name is one line of 1 to 120 bytes')
  .refine(holdsNoCredential, NO_CREDENTIAL)
  .meta({ description: 'What people call it, at most 120 bytes; the folder’s name when left out' });

/** `description` of a project. */
export const projectDescription = z
  .string()
  .refine(bytesAtMost(500), 'a description has at most 500 bytes')
  .refine(holdsNoCredential, NO_CREDENTIAL)
  .meta({ description: 'At most 500 bytes' });

/** The answer to a client other than the one that there is (spec 04 §1). */
export function unknownClient(given: string | undefined): Failure | null {
  if (given === undefined || given === LOCAL_CLIENT) return null;
  return failure('unknown_client_id', 'there is one client, "local"; leave client_id out or say that', {
    clients: [LOCAL_CLIENT],
    state_changed: false,
  });
}
