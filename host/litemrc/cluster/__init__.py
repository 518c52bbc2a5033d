# SPDX-License-Identifier: BSD-2-Clause
"""Miss-ratio curves of a trace on the workers of a Dask cluster."""
