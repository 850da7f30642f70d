"""What all addresses of the API share: who may come in and how often, problems, the description for OpenAPI.

The addresses themselves live beside what they serve; `peerage_web.api_urls` puts all of them together.
"""
