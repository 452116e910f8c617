/** The message in place of a graph that is not there. */

import { Signature, State } from '../../store';
import { Message } from '../common/empty';
import { t } from '../../words';

/** Why the graph of a signature does not show; of none where nothing is selected. */
export function graphMessage(signature: Signature | null, { eager, goneGraphs }: State): Message {
  const [calls] = eager.values();
  if (!signature && calls) {
    return {
      title: t`No graph: it runs eagerly`,
      text: `${calls.text}. ${calls.fix}`,
      tone: 'warning'
    };
  }
  if (signature?.status === 'failed') {
    return {
      title: t`This trace failed`,
      text: signature.error
        ? `${signature.error.error}: ${signature.error.message}`
        : t`It raised before a graph was made.`,
      tone: 'warning'
    };
  }
  if (signature?.status === 'tracing') {
    return { title: t`Tracing…`, text: t`The graph shows here as soon as it is built.`, tone: 'busy' };
  }
  if (signature?.size && goneGraphs.has(signature.size.hash)) {
    return { title: t`This graph is gone`, text: t`The kernel no longer keeps it. Trace the function again to see it.` };
  }
  if (signature?.size) {
    return {
      title: t`Fetching the graph…`,
      text: t`The kernel is asked for it. While a cell runs, the answer may wait for its end.`,
      tone: 'busy'
    };
  }
  return { title: t`No graph`, text: t`Select a signature to see its graph.` };
}
