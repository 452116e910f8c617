/**
 * Requests over the control channel, which a kernel answers while a cell runs. JupyterLab sends `kernel_info_request` and
 * `comm_info_request` over the shell channel, where they wait for the end of the cell; after a page reload it therefore does not
 * know of a busy kernel that it has subshells.
 */

import { Kernel, KernelMessage } from '@jupyterlab/services';

/** The answers, as far as they are used. */
interface Replies {
  readonly kernel_info_request: { readonly supported_features?: readonly string[] };
  readonly comm_info_request: { readonly comms?: Readonly<Record<string, unknown>> };
  readonly create_subshell_request: { readonly subshell_id?: string };
  readonly delete_subshell_request: object;
}

/** Ask over the control channel. Rejects when the kernel restarts or goes away. */
export async function askControl<T extends keyof Replies>(
  kernel: Kernel.IKernelConnection,
  msgType: T,
  content: object = {}
): Promise<Replies[T]> {
  // JupyterLab's types allow fewer kinds of messages on this channel than the messaging protocol does.
  const message = KernelMessage.createMessage({
    msgType: msgType as 'create_subshell_request',
    channel: 'control',
    username: kernel.username,
    session: kernel.clientId,
    content: content as KernelMessage.ICreateSubshellRequestMsg['content']
  });
  const reply = await kernel.sendControlMessage(message, true).done;
  return reply.content as Replies[T];
}

/** Whether a comm of this target is open in the kernel. */
export async function hasComm(kernel: Kernel.IKernelConnection, target: string): Promise<boolean> {
  const { comms } = await askControl(kernel, 'comm_info_request', { target_name: target });
  return Object.keys(comms ?? {}).length > 0;
}

/** A new subshell's id, or null where the kernel has none to give. */
export async function createSubshell(kernel: Kernel.IKernelConnection): Promise<string | null> {
  const info = await askControl(kernel, 'kernel_info_request');
  if (!info.supported_features?.includes('kernel subshells')) {
    return null;
  }
  const { subshell_id: id } = await askControl(kernel, 'create_subshell_request');
  return id ?? null;
}
