/** The worker's entry. It may import nothing that JupyterLab shares: shared modules do not load in a worker. */

import { serve } from '@tracefn/widgets/lib/layout/worker.js';

serve(self);
