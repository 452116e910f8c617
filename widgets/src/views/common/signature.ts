/** A signature as it stands in a row: its distinct parts in the foreground. */

import { Part, Signature, signatureText } from '../../store/index';
import { h, Row, setAttr } from './dom';

/** A line of parts; `data-differs` marks those in which the traces differ, `data-alone` a signature that is shown whole. */
export function signatureLine(title?: string): Row<readonly Part[]> {
  const element = h('span', { class: 'tracefn-signature-text', attrs: { title } });
  let shown = '';
  return {
    element,
    update: parts => {
      const key = JSON.stringify(parts);
      if (key !== shown) {
        shown = key;
        setAttr(element, 'data-alone', parts.every(({ differs }) => !differs));
        element.replaceChildren(
          ...parts.flatMap(({ text, differs }, i) => [
            i === 0 ? '' : ', ',
            h('span', { class: 'tracefn-part', text, attrs: { 'data-differs': differs } })
          ])
        );
      }
    }
  };
}

/** All arguments of a signature, one on each line. */
export function wholeText(signature: Signature): string {
  return signature.arguments.map(({ path, text }) => `${path}: ${text}`).join('\n') || signatureText(signature);
}
