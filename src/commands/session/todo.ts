import SessionPostCommand from './post.js';

/** `wc session todo TEXT`: something to be done by whoever takes it up, and answered once. */
export default class SessionTodoCommand extends SessionPostCommand {
  protected override readonly kind = 'todo';
}
