/** A kernel that records the messages it is sent and gives the answers of the test. */

import { Signal } from '@lumino/signaling';

export class FakeKernel {
  id = 'kernel';
  username = 'user';
  clientId = 'client';
  isDisposed = false;
  handleComms = true;
  commsOverSubshells = 'perCommTarget';
  iopubMessage = new Signal<this, unknown>(this);
  statusChanged = new Signal<this, string>(this);
  connectionStatusChanged = new Signal<this, string>(this);
  disposed = new Signal<this, void>(this);
  targets: string[] = [];
  sent: { type: string; channel: string; subshell: unknown; content: Record<string, any> }[] = [];
  features = ['kernel subshells'];
  comms: object = {};
  /** Messages are lost: the kernel is being restarted. */
  isGoingDown = false;

  registerCommTarget(name: string): void {
    this.targets.push(name);
  }

  sendControlMessage(message: any): { done: Promise<unknown> } {
    const type = message.header.msg_type;
    this.sent.push({ type, channel: 'control', subshell: null, content: message.content });
    const replies: Record<string, object> = {
      comm_info_request: { comms: this.comms },
      kernel_info_request: { supported_features: this.features },
      create_subshell_request: { subshell_id: 'sub' },
      delete_subshell_request: {}
    };
    if (this.isGoingDown) {
      return { done: new Promise(() => undefined) };
    }
    return { done: Promise.resolve({ content: replies[type] }) };
  }

  /** What comes of code that is executed. */
  executed: Promise<unknown> = new Promise(() => undefined);

  requestExecute(): { done: Promise<unknown> } {
    return { done: this.executed };
  }

  sendShellMessage(message: any): void {
    const { msg_type: type, subshell_id: subshell } = message.header;
    this.sent.push({ type, channel: 'shell', subshell, content: message.content });
  }

  push(data: unknown, commId = 'tracefn.events'): void {
    const header = { msg_type: 'comm_msg' };
    this.iopubMessage.emit({ header, content: { comm_id: commId, data } });
  }

  /** The requests of one kind, newest last. */
  requests(query: string): { comm_id: string; data: Record<string, unknown> }[] {
    return this.sent
      .filter(({ type, content }) => type === 'comm_msg' && content.data.query === query)
      .map(({ content }) => content as { comm_id: string; data: Record<string, unknown> });
  }

  answer(query: string, result: unknown): void {
    const request = this.requests(query).at(-1)!;
    this.push({ id: request.data.id, ok: true, result }, request.comm_id);
  }
}
