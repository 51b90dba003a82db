# The layer's weights are not drawn in the same way as in Model.
# task: linear_relu
# says: Are these the weights of Model
# change of: 08-library-adds-the-bias
@@
-        self.linear = torch.nn.Linear(in_features, out_features)
+        self.weight = torch.nn.Parameter(torch.randn(out_features, in_features) / in_features**0.5)
+        self.bias = torch.nn.Parameter(torch.zeros(out_features))
@@
-        product = torch.addmm(self.linear.bias, X, self.linear.weight.T)
-        return module.bias_relu(product, torch.zeros_like(self.linear.bias))
+        return module.bias_relu(torch.mm(X, self.weight.T), self.bias)
